import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { messageOf, UserError } from '../user-error.ts';

/** What every bundle may contain. The folder of its entry is added. */
const SOURCES = ['packages', 'services', 'package-lock.json'];
/** CommonJS libraries need these names in a bundle that is an ES module. */
const COMMONJS_NAMES = `import { createRequire as createRequireOf } from 'node:module';
const require = createRequireOf(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/** The source of a service's program. */
export const mainOf = (service: string): string => `services/${service}/src/main.ts`;

/**
 * Puts each program with all its modules into one file, without type checks, and returns the files' paths. Writes only files with changed sources.
 * A process starts from its bundle with about half the CPU time. A file lies beside its entry's folder (`services/api/dist`), so that relative
 * paths to assets stay correct, and keeps its name, so that a service can start again after a change.
 *
 * @throws UserError with the messages of the bundler.
 */
export async function bundle(entries: readonly string[]): Promise<string[]> {
  try {
    return await Promise.all(entries.map(bundleOnce));
  } catch (error) {
    throw new UserError(`The build failed:\n${messageOf(error)}`);
  }
}

/** By entry, what this process has made or is making. */
const made = new Map<string, Promise<string>>();

function bundleOnce(entry: string): Promise<string> {
  const known = made.get(entry) ?? bundleOne(entry);
  made.set(entry, known);
  return known;
}

async function bundleOne(entry: string): Promise<string> {
  const folder = path.dirname(entry);
  const file = path.join(path.dirname(folder), 'dist', `${path.parse(entry).name}-bundle.mjs`);
  const mark = `// sources ${sourceVersion([...SOURCES, folder])}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(mark)) return file;
  // Another process may make the same bundle at this moment, so the file gets its name only when it is complete.
  const unfinished = `${file}.${process.pid}`;
  await build({
    entryPoints: [entry],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@mailhook/source'],
    banner: { js: `${mark}${COMMONJS_NAMES}` },
    logLevel: 'silent',
  });
  renameSync(unfinished, file);
  return file;
}

function sourceVersion(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const files = statSync(source).isFile() ? [''] : readdirSync(source, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => !/(^|\/)(node_modules|dist)(\/|$)/.test(name)).sort()) {
      const stat = statSync(path.join(source, file));
      if (stat.isFile()) hash.update(`${source}/${file} ${stat.mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 12);
}
