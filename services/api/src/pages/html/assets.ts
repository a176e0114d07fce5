import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';

/** The pages' style sheets, scripts and icon. They are read once. Their URLs contain a hash of the content, so browsers cache them permanently. */
export interface Assets {
  /** The URL of each file. */
  readonly urls: Readonly<Record<AssetName, string>>;
  readonly serve: RequestHandler;
}

const TYPES = {
  'settings.css': 'text/css; charset=utf-8',
  'operations.css': 'text/css; charset=utf-8',
  'settings.js': 'text/javascript; charset=utf-8',
  'parts.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

const SETTINGS_BASE = '/settings/assets';
export const assetsPath = (base: string): string => `${base}/:version/:name`;
export const ASSETS_PATH = assetsPath(SETTINGS_BASE);

/**
 * @param base the start of the URLs. The files are served at `assetsPath(base)`.
 * @throws when a file is missing.
 */
export function loadAssets(folder: string, base = SETTINGS_BASE): Assets {
  const names = Object.keys(TYPES) as AssetName[];
  const files = new Map(names.map((name) => [name as string, readFileSync(path.join(folder, name))]));
  const version = createHash('sha256');
  for (const content of files.values()) version.update(content);
  const current = version.digest('base64url').slice(0, 16);
  const urlOf = (name: AssetName): string => `${base}/${current}/${name}`;
  return {
    urls: Object.fromEntries(names.map((name) => [name, urlOf(name)])) as Record<AssetName, string>,
    serve: (request, response) => {
      const name = String(request.params['name']);
      const content = files.get(name);
      if (content === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
      // During a rollout, a page may ask for the files of another version. Serve the current file rather than a 404.
      const isCurrent = request.params['version'] === current;
      response.set('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store');
      response.set('content-type', TYPES[name as AssetName]);
      response.end(content);
    },
  };
}
