import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const PACKAGE = 'packages/producer';
export const OUT = 'dist/producer';

interface PackageJson {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/**
 * Makes the package that producers install, in `dist/producer`: the sources with the parts of @mailhook/core that they
 * use in one file for each entry point, and the compiler's declarations, which name nothing of @mailhook/core.
 *
 * @returns the path of the tarball.
 */
export async function packProducer(): Promise<string> {
  const {
    devDependencies: _dev,
    private: _private,
    ...source
  } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8')) as PackageJson;
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(`${OUT}/dist`, { recursive: true });
  await build({
    entryPoints: [`${PACKAGE}/src/index.ts`, `${PACKAGE}/src/queue.ts`],
    outdir: `${OUT}/dist`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@mailhook/source'],
    external: [...Object.keys(source.dependencies), ...Object.keys(source.peerDependencies)],
    logLevel: 'error',
  });
  writeDeclarations();
  const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as { repository?: string };
  writeFileSync(`${OUT}/package.json`, `${JSON.stringify(published(source, repository), null, 2)}\n`);
  for (const file of [`${PACKAGE}/README.md`, 'LICENSE']) cpSync(file, path.join(OUT, path.basename(file)));
  const [tarball = ''] = execFileSync('npm', ['pack', '--silent'], { cwd: OUT, encoding: 'utf8' }).trim().split('\n');
  return path.resolve(OUT, tarball);
}

/** Declarations import `.ts` files in the sources, and `.js` files in the package. */
function writeDeclarations(): void {
  execFileSync(process.execPath, ['node_modules/@typescript/native/bin/tsc', '-b', `${PACKAGE}/tsconfig.build.json`]);
  for (const file of readdirSync(`${PACKAGE}/dist`).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(`${PACKAGE}/dist/${file}`, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'");
    writeFileSync(`${OUT}/dist/${file}`, text);
  }
}

/** @param repository the URL in the root's package.json, if there is one. */
export const published = (
  source: Omit<PackageJson, 'private' | 'devDependencies'>,
  repository: string | undefined,
): object => ({
  ...source,
  ...(repository === undefined ? {} : { repository: { type: 'git', url: repository, directory: PACKAGE } }),
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './queue': { types: './dist/queue.d.ts', default: './dist/queue.js' },
    './package.json': './package.json',
  },
  files: ['dist'],
});
