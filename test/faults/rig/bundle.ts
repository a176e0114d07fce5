import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';

export const DOOMED_WORKER = 'test/faults/rig/doomed-worker.ts';
const PROGRAMS = [
  'services/transactional-notifier/dist/main.js',
  'services/campaign-batcher/dist/main.js',
  DOOMED_WORKER,
];
const FOLDER = '.cache/test-bundles';
/** The files from which the bundles are made. */
const SOURCES = ['packages', 'services', 'test/faults/rig', 'package-lock.json'];
/** CommonJS libraries need these names in a bundle that is an ES module. */
const COMMONJS_NAMES = `import { createRequire as createRequireOf } from 'node:module';
const require = createRequireOf(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

let version: string | undefined;

/** Makes all bundles that are missing. Takes seconds, and blocks this process. */
export function bundlePrograms(): void {
  for (const program of PROGRAMS) bundleOf(program);
}

/**
 * Returns the path of one file with the program `entry` and all its modules, and makes the file if it is missing. Uses the compiled packages and
 * services. A process starts from it in less than half the CPU time, and these tests start more than 100 processes.
 */
export function bundleOf(entry: string): string {
  version ??= sourceVersion();
  const name = entry.replaceAll('/', '_');
  const bundle = path.join(FOLDER, `${name}-${version}.mjs`);
  if (existsSync(bundle)) return bundle;
  removeOlder(name, version);
  // Other test files may make the same bundle at this moment, so it gets its name only when it is complete.
  const unfinished = `${bundle}.${process.pid}`;
  buildSync({
    entryPoints: [entry],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: COMMONJS_NAMES },
    logLevel: 'error',
  });
  renameSync(unfinished, bundle);
  return bundle;
}

function removeOlder(name: string, newest: string): void {
  const found = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  for (const file of found) {
    if (file.startsWith(`${name}-`) && !file.includes(newest)) rmSync(path.join(FOLDER, file), { force: true });
  }
}

function sourceVersion(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const files = statSync(source).isFile() ? [''] : readdirSync(source, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => !/(^|\/)(node_modules|dist)(\/|$)/.test(name)).sort())
      hash.update(`${source}/${file} ${statSync(path.join(source, file)).mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}
