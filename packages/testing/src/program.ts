import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/** CommonJS libraries need these names in a bundle that is an ES module. */
export const COMMONJS_NAMES = `import { createRequire as createRequireOf } from 'node:module';
const require = createRequireOf(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

const FOLDER = 'node_modules/.cache/test-programs';

/**
 * Puts a program in TypeScript and all that it imports into one file, and returns the file's path. Its relative imports
 * start at this process's folder. With the file, a process starts in a quarter of the CPU time that it takes with tsx.
 */
export async function bundleProgram(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@mailhook/source'],
    banner: { js: COMMONJS_NAMES },
    logLevel: 'silent',
  });
  await mkdir(FOLDER, { recursive: true });
  const file = path.resolve(FOLDER, `${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`);
  // Another process may start the same program at this moment, so the file gets its name only when it is complete.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, outputFiles[0]?.contents ?? '');
  await rename(unfinished, file);
  return file;
}
