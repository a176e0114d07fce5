import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';

/**
 * The pages' style sheets, scripts, icon and fonts. They are read once, and each is compressed for its first request.
 * Their URLs contain a hash of the content, so browsers cache them permanently.
 */
export interface Assets {
  /** The URL of each file. */
  readonly urls: Readonly<Record<AssetName, string>>;
  readonly serve: RequestHandler;
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
} as const;

/** The variable font with all weights. Browsers load `latin-ext` only for a page with such letters (`fonts.css`). */
function fontOf(letters: 'latin' | 'latin-ext'): string {
  return createRequire(import.meta.url).resolve(`@fontsource-variable/inter/files/inter-${letters}-wght-normal.woff2`);
}

/** The files that make up each asset, in this order. Later rules of a style sheet win over earlier ones. */
const PARTS = {
  'settings.css': ['fonts', 'page', 'sections', 'deliveries', 'secrets', 'pages', 'endpoints', 'narrow', 'lists'].map(
    (name) => `styles/${name}.css`,
  ),
  'operations.css': ['operations.css'],
  'guides.css': ['guides.css'],
  'reference.css': ['reference.css'],
  'reference.js': ['reference.js'],
  'copy.js': ['copy.js'],
  'copy-buttons.js': ['copy-buttons.js'],
  'live.js': ['live.js'],
  'filter-trial.js': ['filter-trial.js'],
  'portal.js': ['portal.js'],
  'updates.js': ['updates.js'],
  'sign-in.js': ['sign-in.js'],
  'parts.js': ['parts.js'],
  'times.js': ['times.js'],
  'unsaved.js': ['unsaved.js'],
  'after-answer.js': ['after-answer.js'],
  'icon.svg': ['icon.svg'],
  'inter-latin.woff2': [fontOf('latin')],
  'inter-latin-ext.woff2': [fontOf('latin-ext')],
};
export type AssetName = keyof typeof PARTS;

/** The scripts of pages that update themselves. */
export const LIVE_SCRIPTS: readonly AssetName[] = [
  'live.js',
  'copy.js',
  'filter-trial.js',
  'updates.js',
  'parts.js',
  'times.js',
  'unsaved.js',
  'after-answer.js',
];

const SETTINGS_BASE = '/settings/assets';
export const assetsPath = (base: string): string => `${base}/:version/:name`;
export const ASSETS_PATH = assetsPath(SETTINGS_BASE);

/**
 * @param base the start of the URLs. The files are served at `assetsPath(base)`.
 * @param styles rules to add to `settings.css`.
 * @throws when a file is missing.
 */
export function loadAssets(folder: string, base = SETTINGS_BASE, styles = ''): Assets {
  const names = Object.keys(PARTS) as AssetName[];
  const read = (file: string): Buffer => readFileSync(path.resolve(folder, file));
  const assets = new Map(names.map((name) => [name as string, Buffer.concat(PARTS[name].map(read))]));
  assets.set('settings.css', Buffer.concat([assets.get('settings.css') ?? Buffer.of(), Buffer.from(styles)]));
  const compressed = new Map<string, Buffer>();
  const compress = (name: string, content: Buffer): Buffer => {
    const known = compressed.get(name) ?? gzipSync(content);
    compressed.set(name, known);
    return known;
  };
  const version = createHash('sha256');
  for (const content of assets.values()) version.update(content);
  const current = version.digest('base64url').slice(0, 16);
  const urlOf = (name: AssetName): string => `${base}/${current}/${name}`;
  return {
    urls: Object.fromEntries(names.map((name) => [name, urlOf(name)])) as Record<AssetName, string>,
    serve: (request, response) => {
      const name = String(request.params['name']);
      const content = assets.get(name);
      if (content === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
      // During a rollout, a page may ask for the files of another version. Serve the current file rather than a 404.
      const isCurrent = request.params['version'] === current;
      response.set('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store');
      response.set('content-type', TYPES[path.extname(name).slice(1) as keyof typeof TYPES]);
      response.set('vary', 'accept-encoding');
      // A font is compressed already.
      if (name.endsWith('.woff2') || request.acceptsEncodings('gzip') === false) response.end(content);
      else response.set('content-encoding', 'gzip').end(compress(name, content));
    },
  };
}
