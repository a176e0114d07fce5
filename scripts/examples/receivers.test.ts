import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestTool } from '@mailhook/testing';
import { pythonPackages, unlessMissing } from '@mailhook/testing';
import { expectToPassDoctor } from '../docs/receiver-program.suite.ts';

/** The tests run the programs of examples/receivers as users do. */
const FOLDER = 'examples/receivers';

interface Example {
  readonly name: string;
  readonly command: string;
  readonly tool?: TestTool;
  readonly args: (port: number) => readonly string[];
  /** Installs what the example needs. Resolves with more environment variables. */
  readonly install?: () => Promise<Readonly<Record<string, string>>>;
  readonly warnings: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  { name: 'Express', command: process.execPath, args: () => [`${FOLDER}/express/receiver.mjs`], warnings: [] },
  {
    name: 'Fastify',
    command: process.execPath,
    args: () => [`${FOLDER}/fastify/receiver.mjs`],
    install: () => nodePackages(`${FOLDER}/fastify`),
    warnings: [],
  },
  {
    name: 'NestJS',
    command: process.execPath,
    args: () => ['--import', 'tsx', `${FOLDER}/nestjs/receiver.ts`],
    install: async () => ({
      ...(await nodePackages(`${FOLDER}/nestjs`)),
      TSX_TSCONFIG_PATH: `${FOLDER}/nestjs/tsconfig.json`,
    }),
    warnings: [],
  },
  {
    name: 'FastAPI',
    command: 'python3',
    tool: 'pip',
    args: () => ['-B', `${FOLDER}/fastapi/receiver.py`],
    install: async () => ({ PYTHONPATH: await pythonPackages(`${FOLDER}/fastapi/requirements.txt`) }),
    warnings: [],
  },
  {
    name: 'Laravel',
    command: 'php',
    tool: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, 'scripts/examples/laravel-stand-in.php'],
    // PHP's built-in server closes every connection.
    warnings: ['keep-alive'],
  },
];

/** Runs `npm ci` in the folder, unless its packages are the ones of its lockfile already. */
async function nodePackages(folder: string): Promise<Readonly<Record<string, string>>> {
  const lock = path.join(folder, 'package-lock.json');
  const stamp = path.join(folder, 'node_modules', '.lock-of-the-tests');
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  if (isCurrent) return {};
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await promisify(execFile)('npm', ['ci', ...flags], { cwd: folder });
  copyFileSync(lock, stamp);
  return {};
}

const INSTALLS_WITHIN_MS = 120_000;

describe.each(EXAMPLES)('the example for $name', ({ command, tool, install, ...example }) => {
  const testIf = unlessMissing(test, tool);
  const secret = `whsec_${randomBytes(24).toString('base64')}`;

  testIf(
    'passes every check of the doctor, for both mechanisms, and refuses another signature',
    async () => {
      const env = { ...(await install?.()), WEBHOOK_SECRETS: secret };
      await expectToPassDoctor({ ...example, command, env, secrets: [secret] });
    },
    INSTALLS_WITHIN_MS,
  );
});
