import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { COMMONJS_NAMES } from '@mailhook/testing';
import { build } from 'esbuild';
import { messageOf, UserError } from '../user-error.ts';

/** What every bundle may contain. The folder of its entry is added. */
const SOURCES = ['packages', 'services', 'package-lock.json'];

/** The source of a service's program. */
export const mainOf = (service: string): string => `services/${service}/src/main.ts`;

/**
 * Puts each program with all its modules into one file, without type checks, and returns the files' paths. Writes only
 * files with changed sources. A process starts from its bundle with about half the CPU time. A file lies beside its
 * entry's folder (`services/api/dist`), so that relative paths to assets stay correct, and keeps its name, so that a
 * service can start again after a change.
 *
 * @throws UserError with the messages of the bundler.
 */
export async function bundle(entries: readonly string[]): Promise<string[]> {
  const missing = entries.filter((entry) => !made.has(entry));
  const making = writeBundles(missing);
  for (const entry of missing) made.set(entry, making);
  try {
    await Promise.all(entries.map(async (entry) => made.get(entry)));
  } catch (error) {
    throw new UserError(`The build failed:\n${messageOf(error)}`);
  }
  return entries.map(fileOf);
}

/** By entry, what this process has made or is making. */
const made = new Map<string, Promise<void>>();

const fileOf = (entry: string): string =>
  path.join(path.dirname(path.dirname(entry)), 'dist', `${path.parse(entry).name}-bundle.mjs`);

/** One call of the bundler for all entries reads each module once. */
async function writeBundles(entries: readonly string[]): Promise<void> {
  const common = sourceVersion(SOURCES);
  // The first line of a bundle, by which the next start sees whether it is current.
  const marks = new Map(
    entries.map((entry) => [fileOf(entry), `// sources ${common} ${sourceVersion([path.dirname(entry)])}\n`]),
  );
  const stale = entries.filter((entry) => !startsWith(fileOf(entry), marks.get(fileOf(entry)) ?? ''));
  if (stale.length === 0) return;
  const { outputFiles } = await build({
    entryPoints: stale.map((entry) => ({ in: entry, out: fileOf(entry).slice(0, -'.mjs'.length) })),
    outdir: '.',
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@mailhook/source'],
    banner: { js: COMMONJS_NAMES },
    logLevel: 'silent',
  });
  for (const output of outputFiles) {
    const file = path.relative('.', output.path);
    // Another process may make the same bundle at this moment, so the file gets its name only when it is complete.
    const unfinished = `${file}.${process.pid}`;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(unfinished, `${marks.get(file)}${output.text}`);
    renameSync(unfinished, file);
  }
}

const startsWith = (file: string, mark: string): boolean =>
  existsSync(file) && readFileSync(file, 'utf8').startsWith(mark);

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
