import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PowerLoss, PowerLossOptions } from './after-power-loss.ts';
import { failingWrites } from './failing-writes.ts';
import { recordedDisk } from './power-loss.ts';
import type { RecordedDisk } from './power-loss.ts';
import { preloadEnv } from './preload.ts';
import type { Preload } from './preload.ts';
import { makeServerFolder } from './server-folder.ts';
import type { SupervisedChild } from './supervised-child.ts';
import type { ShiftedClock } from './shifted-clock.ts';
import { shiftedClock } from './shifted-clock.ts';
import { freePort, startChild } from './supervised-child.ts';

export interface RedisOptions {
  /** The server. Default: `redis-server`. */
  readonly command?: string | undefined;
  readonly appendonly?: boolean;
  readonly appendfsync?: 'always' | 'everysec';
  readonly port?: number;
  /** More command-line settings, such as `['--maxmemory', '20mb']`. */
  readonly args?: readonly string[];
  /**
   * Gives the server a clock that `setClock` can shift, and a disk that `setSyncMs` can slow. The clock starts this
   * much ahead. Needs a C compiler, see `cannotShiftClocks`.
   */
  readonly clockAheadMs?: number;
  /** Makes `losePower` possible. Needs a C compiler, see `cannotLosePower`. */
  readonly canLosePower?: boolean;
  /** Makes `failWrites` possible. Needs a C compiler, see `cannotFailWrites`. */
  readonly canFailWrites?: boolean;
  /** A snapshot (RDB file) that the server starts with. */
  readonly snapshot?: string;
}

/**
 * A private redis-server for tests, on 127.0.0.1, with the settings of docs/operations.md. Only `appendonly` must be
 * asked for.
 */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** The folder of its files. */
  readonly dir: string;
  /** Process id of the current run, for SIGSTOP and SIGCONT. */
  readonly pid: number;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
  /** Sends SIGKILL and keeps the files for `restart`. */
  kill(): Promise<void>;
  /** Ends the server if it runs, and starts it again with the same port and files. */
  restart(): Promise<void>;
  /** Sets how much the server's wall clock is ahead of the machine's. @throws Error without `clockAheadMs`. */
  setClock(aheadMs: number): void;
  /** Makes each sync of its append-only file take this much longer. @throws Error without `clockAheadMs`. */
  setSyncMs(syncMs: number): void;
  /**
   * The next write to the append-only file stores this share of its bytes, in percent. Later ones fail, and the server
   * cannot cut the file. 0 ends that. @throws Error without `canFailWrites`.
   */
  failWrites(percent: number): void;
  /** Undefined without `canLosePower`. */
  readonly disk: RecordedDisk | undefined;
  /**
   * Sends SIGKILL, and leaves for `restart` what the disk may hold if the server's machine has lost power at this
   * moment. Resolves with what was lost. @throws Error without `canLosePower`.
   */
  losePower(options: PowerLossOptions): Promise<PowerLoss>;
}

const START_TRIES = 5;

export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const dir = await makeServerFolder('redis');
  if (options.snapshot !== undefined) await copyFile(options.snapshot, path.join(dir, 'dump.rdb'));
  const clock =
    options.clockAheadMs === undefined ? undefined : shiftedClock(path.join(dir, 'clock'), options.clockAheadMs);
  const disk = options.canLosePower === true ? recordedDisk(dir) : undefined;
  const writes = options.canFailWrites === true ? failingWrites(path.join(dir, 'failing-writes')) : undefined;
  const place: Place = { dir, preloads: [clock, disk, writes].filter((preload) => preload !== undefined) };
  const { port, child } = await startOnFreePort(place, options);
  let current = child;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get pid() {
      return current.pid;
    },
    async stop() {
      await current.end('SIGKILL');
      disk?.remove();
      await rm(dir, { recursive: true, force: true });
    },
    kill: () => current.end('SIGKILL'),
    async restart() {
      await current.end('SIGTERM');
      current = await startOn(port, place, options);
    },
    setClock: (aheadMs) => shifted(clock).set(aheadMs),
    setSyncMs: (syncMs) => shifted(clock).setSyncMs(syncMs),
    failWrites(percent) {
      if (writes === undefined) throw new Error('the writes of the server cannot fail: start it with canFailWrites');
      writes.fail(percent);
    },
    disk,
    async losePower(how) {
      if (disk === undefined) throw new Error('the disk of the server is not recorded: start it with canLosePower');
      await current.end('SIGKILL');
      return disk.losePower(how);
    },
  };
}

function shifted(clock: ShiftedClock | undefined): ShiftedClock {
  if (clock === undefined) throw new Error('the server has no shifted clock: start it with clockAheadMs');
  return clock;
}

interface Place {
  readonly dir: string;
  readonly preloads: readonly Preload[];
}

async function startOnFreePort(place: Place, options: RedisOptions): Promise<{ port: number; child: SupervisedChild }> {
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    try {
      return { port, child: await startOn(port, place, options) };
    } catch (error) {
      if (tries === START_TRIES || options.port !== undefined) throw error;
    }
  }
}

function startOn(port: number, { dir, preloads }: Place, options: RedisOptions): Promise<SupervisedChild> {
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
    '--list-compress-depth',
    '1',
  ];
  return startChild({
    command: options.command ?? 'redis-server',
    args: [...settings, ...persistence, ...(options.args ?? [])],
    isReady: (line) => line.includes('Ready to accept connections'),
    env: preloadEnv(preloads),
  });
}

let shared: Promise<TestRedis> | undefined;

/**
 * The Redis that tests share, each with another key prefix: `REDIS_TEST_URL`, or one that is started for this test
 * file.
 */
export async function testRedisUrl(): Promise<string> {
  const given = process.env['REDIS_TEST_URL'];
  if (given !== undefined && given !== '') return given;
  shared ??= startRedis();
  return (await shared).url;
}
