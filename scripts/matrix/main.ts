import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

/** What may differ from version to version of Redis. */
const TESTS = [
  'test/faults/nightly/torn-file',
  'test/faults/power-loss',
  'test/faults/redis-failover',
  'packages/delivery/src/mailbox/',
  'mailbox-model/mailbox-model',
  'simulation/simulation',
];
/** The server is all of these programs, by its name. */
const PROGRAMS = ['redis-server', 'redis-sentinel', 'redis-check-aof'];

export const command = new Command()
  .description(
    `Runs the tests of power loss, failover and the functions in Redis on other servers, each in place of the one
of the PATH, and prints which of them fail. FAULTS=long takes the long variants.`,
  )
  .argument('<servers...>', 'programs of Redis or Valkey, such as /folder/valkey-server')
  .action((servers) => {
    const terminal = createTerminal();
    for (const server of servers) if (!existsSync(server)) throw new UserError(`There is no server ${server}.`);
    const failing = servers.filter((server) => !isPassed(server, (line) => terminal.line(line)));
    if (failing.length > 0) process.exitCode = 1;
  });

function isPassed(server: string, say: (line: string) => void): boolean {
  const [version = ''] = /\w+ server v=\S+/.exec(execFileSync(server, ['--version'], { encoding: 'utf8' })) ?? [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mailhook-matrix-'));
  try {
    for (const name of PROGRAMS) symlinkSync(path.resolve(server), path.join(folder, name));
    const { status, stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, 'scripts/mailhook.ts', 'test', ...TESTS],
      {
        env: { ...process.env, REDIS_TEST_URL: '', PATH: `${folder}:${process.env['PATH'] ?? ''}` },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 64_000_000,
      },
    );
    const failed = stdout.split('\n').filter((line) => /^\s*FAILED\s+\S+\.test\.ts: /.test(line));
    say(`${status === 0 ? 'ok    ' : 'FAILED'}  ${version}: ${stdout.trimEnd().split('\n').at(-1) ?? ''}`);
    for (const line of failed) say(`    ${line.trim()}`);
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
