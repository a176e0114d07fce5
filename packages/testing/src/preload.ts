import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { missingTool } from './tools.ts';

/** A library that stands before libc in a server. */
export interface Preload {
  readonly library: string;
  /** The variables that the library reads. */
  readonly env: NodeJS.ProcessEnv;
}

const SOURCES = path.resolve('packages/testing/src');
const CACHE = path.resolve('.cache/preload');

/** Why `what` is impossible here, which needs such a library. Undefined if it is possible. For `unlessImpossible`. */
export function cannotPreload(what: string): string | undefined {
  if (process.platform !== 'linux') return `${what} on Linux only`;
  return missingTool('cc');
}

/** The environment of a server with these libraries. */
export function preloadEnv(preloads: readonly Preload[]): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const preload of preloads) Object.assign(env, preload.env);
  return preloads.length === 0 ? env : { ...env, LD_PRELOAD: preloads.map(({ library }) => library).join(':') };
}

/** Compiles a C file of this folder, once for each content. Returns the library's path. */
export function compiledLibrary(name: string): string {
  const source = path.join(SOURCES, `${name}.c`);
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = path.join(CACHE, `${name}-${version}.so`);
  if (existsSync(library)) return library;
  mkdirSync(CACHE, { recursive: true });
  // Other test files may compile it at this moment, so it appears under its name only when it is complete.
  const unfinished = `${library}.${process.pid}`;
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-Wall', '-Wextra', '-o', unfinished, source]);
  renameSync(unfinished, library);
  return library;
}
