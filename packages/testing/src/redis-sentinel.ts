import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeServerFolder } from './server-folder.ts';
import { freePort, startChild } from './supervised-child.ts';

export interface SentinelOptions {
  /** The master's port on 127.0.0.1. */
  readonly masterPort: number;
  /** The name by which clients ask for the master. */
  readonly name: string;
  /** How many sentinels must agree before they replace the master. */
  readonly quorum: number;
  /** A master that is silent for this time counts as dead. */
  readonly downAfterMs: number;
}

/** A private sentinel for tests, on 127.0.0.1. */
export interface TestSentinel {
  readonly port: number;
  /** Runs a command and resolves with the output of redis-cli. */
  command(...words: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** The password of every sentinel. */
export const SENTINEL_PASSWORD = 'sentinels+only';

const run = promisify(execFile);

/** Starts a sentinel. Resolves when it watches the master. */
export async function startSentinel(options: SentinelOptions): Promise<TestSentinel> {
  const { masterPort, name, quorum, downAfterMs } = options;
  const dir = await makeServerFolder('sentinel');
  const port = await freePort();
  const file = path.join(dir, 'sentinel.conf');
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${dir}`,
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} ${quorum}`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 10000`,
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  const child = await startChild({
    command: 'redis-server',
    args: [file, '--sentinel'],
    isReady: (line) => line.includes('+monitor master'),
  });
  return {
    port,
    async command(...words) {
      const login = ['-p', String(port), '--no-auth-warning', '-a', SENTINEL_PASSWORD];
      return (await run('redis-cli', [...login, ...words])).stdout;
    },
    async stop() {
      await child.end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
