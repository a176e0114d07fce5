import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SupervisedChild } from './supervised-child.ts';
import { freePort, startChild } from './supervised-child.ts';

export interface RedisOptions {
  readonly appendonly?: boolean;
  readonly appendfsync?: 'always' | 'everysec';
  readonly port?: number;
  /** More settings, as on the command line: `['--maxmemory', '20mb']`. */
  readonly args?: readonly string[];
}

/** A redis-server of a test's own, on 127.0.0.1, with noeviction. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Of the run under way: for SIGSTOP and SIGCONT. */
  readonly pid: number;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
  /** SIGKILL; the files stay for `restart`. */
  kill(): Promise<void>;
  /** Ends it, when it still runs, and starts it again: same port, same files. */
  restart(): Promise<void>;
}

const START_TRIES = 5;

export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailhook-redis-'));
  const { port, child } = await startOnFreePort(dir, options);
  let current = child;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return current.pid;
    },
    async stop() {
      await current.end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
    kill: () => current.end('SIGKILL'),
    async restart() {
      await current.end('SIGTERM');
      current = await startOn(port, dir, options);
    },
  };
}

async function startOnFreePort(dir: string, options: RedisOptions): Promise<{ port: number; child: SupervisedChild }> {
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    try {
      return { port, child: await startOn(port, dir, options) };
    } catch (error) {
      if (tries === START_TRIES || options.port !== undefined) throw error;
    }
  }
}

function startOn(port: number, dir: string, options: RedisOptions): Promise<SupervisedChild> {
  const persistence =
    options.appendonly === true ? ['--appendonly', 'yes', '--appendfsync', options.appendfsync ?? 'everysec'] : [];
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--maxmemory-policy',
    'noeviction',
  ];
  return startChild({
    command: 'redis-server',
    args: [...settings, ...persistence, ...(options.args ?? [])],
    isReady: (line) => line.includes('Ready to accept connections'),
  });
}

let shared: Promise<TestRedis> | undefined;

/** The Redis that tests share, told apart by key prefix: `REDIS_TEST_URL`, else one started for this test file. */
export async function testRedisUrl(): Promise<string> {
  const given = process.env['REDIS_TEST_URL'];
  if (given !== undefined && given !== '') return given;
  shared ??= startRedis();
  return (await shared).url;
}
