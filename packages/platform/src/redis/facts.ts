import { readlink, realpath, statfs } from 'node:fs/promises';
import { diskTask } from '@mailhook/core';
import type { DiskTask } from '@mailhook/core';
import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo, readDiskRefusal, readSetting } from './settings.ts';

/** What operators must know about a Redis. */
export interface RedisFacts {
  readonly usedBytes: number;
  /** 0 means no limit. */
  readonly limitBytes: number;
  readonly headroom: number;
  readonly replicas: number;
  readonly settings: Settings;
  readonly failing: readonly DiskTask[];
  readonly disk: RedisDisk;
}

interface Settings {
  readonly version: string;
  readonly policy: string;
  readonly appendonly: 'yes' | 'no';
  /** Both `unknown` if Redis forbids `CONFIG`. */
  readonly appendfsync: string;
  readonly noAppendfsyncOnRewrite: string;
}

interface RedisDisk {
  /** Size of the append-only file; 0 without one. */
  readonly fileBytes: number;
  /** Free space of the disk. Undefined unless Redis runs on this machine, because Redis itself does not report it. */
  readonly freeBytes: number | undefined;
  /** How often, since Redis started, `everysec` wrote on although a sync had taken over two seconds. */
  readonly delayedSyncs: number;
}

/** Facts of every master. Rejects while Redis is away, and if it forbids `INFO`. */
export const readMasters = (redis: Redis): Promise<RedisFacts[]> => onEveryMaster(redis, readFacts);

async function readFacts(redis: Redis): Promise<RedisFacts> {
  const [text, appendfsync = 'unknown', noAppendfsyncOnRewrite = 'unknown', refusal] = await Promise.all([
    redis.info(),
    readSetting(redis, 'appendfsync'),
    readSetting(redis, 'no-appendfsync-on-rewrite'),
    readDiskRefusal(redis),
  ]);
  const info = parseInfo(text);
  const number = (name: string): number => Number(info.get(name) ?? 0);
  const hasFailed: Readonly<Record<DiskTask, boolean>> = {
    write: refusal !== undefined || info.get('aof_last_write_status') === 'err',
    rewrite: info.get('aof_last_bgrewrite_status') === 'err',
    snapshot: info.get('rdb_last_bgsave_status') === 'err',
  };
  const usedBytes = number('used_memory');
  const limitBytes = number('maxmemory');
  return {
    usedBytes,
    limitBytes,
    headroom: limitBytes === 0 ? 1 : Math.max(0, 1 - usedBytes / limitBytes),
    replicas: number('connected_slaves'),
    settings: {
      version: info.get('redis_version') ?? 'unknown',
      policy: info.get('maxmemory_policy') ?? 'unknown',
      appendonly: info.get('aof_enabled') === '1' ? 'yes' : 'no',
      appendfsync,
      noAppendfsyncOnRewrite,
    },
    failing: diskTask.options.filter((task) => hasFailed[task]),
    disk: {
      fileBytes: number('aof_current_size'),
      freeBytes: await freeDiskBytes(redis, info.get('process_id')),
      delayedSyncs: number('aof_delayed_fsync'),
    },
  };
}

/** Redis runs on this machine if the process with its pid works in the folder that Redis names. */
async function freeDiskBytes(redis: Redis, pid: string | undefined): Promise<number | undefined> {
  const folder = await readSetting(redis, 'dir');
  if (pid === undefined || folder === undefined) return undefined;
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== (await realpath(folder))) return undefined;
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** For a cluster, the sum of the masters' bytes, the headroom of the fullest master, and the faults of all. */
export function combineMasters(masters: readonly RedisFacts[]): RedisFacts {
  const worst = masters.reduce((a, b) => (b.headroom < a.headroom ? b : a));
  const sum = (of: (facts: RedisFacts) => number): number => masters.reduce((total, one) => total + of(one), 0);
  const free = masters.flatMap(({ disk: { freeBytes } }) => (freeBytes === undefined ? [] : [freeBytes]));
  return {
    ...worst,
    usedBytes: sum(({ usedBytes }) => usedBytes),
    limitBytes: sum(({ limitBytes }) => limitBytes),
    replicas: Math.min(...masters.map(({ replicas }) => replicas)),
    failing: diskTask.options.filter((task) => masters.some(({ failing }) => failing.includes(task))),
    disk: {
      fileBytes: sum(({ disk }) => disk.fileBytes),
      freeBytes: free.length === 0 ? undefined : Math.min(...free),
      delayedSyncs: sum(({ disk }) => disk.delayedSyncs),
    },
  };
}

/** How far the clock of this process is ahead of that of Redis. */
export async function readSkewMs(redis: Redis): Promise<number> {
  const askedAtMs = Date.now();
  const timeMs = await readTimeMs(redis);
  return (askedAtMs + Date.now()) / 2 - timeMs;
}

/** The clock of Redis, which all processes share, in whole Unix milliseconds. */
export async function readTimeMs(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
