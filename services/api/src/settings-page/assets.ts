import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';

/** The page's style sheet, script and icon: read once, named by their content, kept by browsers for good. */
export interface Assets {
  /** Where each is to be had. */
  readonly urls: Readonly<Record<AssetName, string>>;
  readonly serve: RequestHandler;
}

const TYPES = {
  'settings.css': 'text/css; charset=utf-8',
  'settings.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

export const ASSETS_PATH = '/settings/assets/:version/:name';

/** @throws when a file is missing. */
export function loadAssets(folder: string): Assets {
  const names = Object.keys(TYPES) as AssetName[];
  const files = new Map(names.map((name) => [name as string, readFileSync(path.join(folder, name))]));
  const version = createHash('sha256');
  for (const content of files.values()) version.update(content);
  const current = version.digest('base64url').slice(0, 16);
  const urlOf = (name: AssetName): string => `/settings/assets/${current}/${name}`;
  return {
    urls: { 'settings.css': urlOf('settings.css'), 'settings.js': urlOf('settings.js'), 'icon.svg': urlOf('icon.svg') },
    serve: (request, response) => {
      const name = String(request.params['name']);
      const content = files.get(name);
      if (content === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
      // While replicas are replaced, a page may ask one of another version: better a style of then than none.
      const isCurrent = request.params['version'] === current;
      response.set('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store');
      response.set('content-type', TYPES[name as AssetName]);
      response.end(content);
    },
  };
}
