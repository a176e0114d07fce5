import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { runScript, runsTornHalf } from '@mailhook/testing';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

/** What may differ from version to version of Redis. */
const TESTS = [
  'test/faults/power-loss',
  'test/faults/torn-file',
  'test/faults/redis-',
  // A server may be built without TLS.
  'packages/platform/src/redis/(?!tls)',
  'packages/delivery/src/mailbox/',
  'mailbox-model/mailbox-model',
  'simulation/simulation',
];
/** They run only with `FAULTS=long`, which gives `TESTS` all their variants too. */
const NIGHTLY = [
  'backup-restore',
  'clock-steps',
  'durable-intake',
  'half-writes',
  'lagging-replica',
  'memory-of-others',
  'more-shards',
  'redis-',
  'slow-',
  'store-rollback',
].map((name) => `test/faults/nightly/${name}`);
/** The server is all of these programs, by its name. */
const PROGRAMS = ['redis-server', 'redis-sentinel', 'redis-check-aof', 'redis-check-rdb'];

export const command = new Command()
  .description(
    `Runs the tests of power loss, failover, rollback and the functions in Redis on other servers, each in place of the
one of the PATH, and prints which of them fail. Also prints whether the server runs half of a script that a power loss
has torn, at its second start (docs/decisions/0090). FAULTS=long takes the long variants of all.`,
  )
  .argument('<servers...>', 'programs of Redis or Valkey, such as /folder/valkey-server')
  .action(async (servers) => {
    const terminal = createTerminal();
    for (const server of servers) if (!existsSync(server)) throw new UserError(`There is no server ${server}.`);
    let isAnyRed = false;
    for (const server of servers) {
      const runsHalf = await runsTornHalf(runScript, server);
      if (!isPassed(server, runsHalf, (line) => terminal.line(line))) isAnyRed = true;
    }
    if (isAnyRed) process.exitCode = 1;
  });

function isPassed(server: string, runsHalf: boolean, say: (line: string) => void): boolean {
  const [version = ''] = /\w+ server v=\S+/.exec(execFileSync(server, ['--version'], { encoding: 'utf8' })) ?? [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mailhook-matrix-'));
  try {
    for (const name of PROGRAMS) symlinkSync(path.resolve(server), path.join(folder, name));
    const runs = [run(folder, TESTS, {}), run(folder, NIGHTLY, { FAULTS: 'long' })];
    const isGreen = runs.every(({ status }) => status === 0);
    const counts = runs.map(({ lines }) => lines.at(-1) ?? '').join('; nightly: ');
    say(
      `${isGreen ? 'ok    ' : 'FAILED'}  ${version}, ${runsHalf ? 'runs' : 'does not run'} half of a script: ${counts}`,
    );
    const failed = runs.flatMap(({ lines }) => lines.filter((line) => /^\s*FAILED\s+\S+\.test\.ts: /.test(line)));
    for (const line of failed) say(`    ${line.trim()}`);
    return isGreen;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(folder: string, tests: readonly string[], env: NodeJS.ProcessEnv) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [...process.execArgv, 'scripts/mailhook.ts', 'test', ...tests],
    {
      env: { ...process.env, REDIS_TEST_URL: '', PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 64_000_000,
    },
  );
  return { status, lines: stdout.trimEnd().split('\n') };
}
