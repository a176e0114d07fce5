import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import type { Metrics } from '../metrics/index.ts';
import { shareReading } from '../metrics/index.ts';
import { parseInfo, readDiskRefusal, readSetting } from './settings.ts';

interface RedisFacts {
  readonly usedBytes: number;
  /** 0 means no limit. */
  readonly limitBytes: number;
  readonly headroom: number;
  readonly replicas: number;
  readonly settings: Settings;
  readonly failing: readonly DiskTask[];
}

/** The tasks of Redis that can fail because of its disk. */
const DISK_TASKS = ['write', 'rewrite', 'snapshot'] as const;
type DiskTask = (typeof DISK_TASKS)[number];

interface Settings {
  readonly version: string;
  readonly policy: string;
  readonly appendonly: 'yes' | 'no';
  /** `unknown` if Redis forbids `CONFIG`. */
  readonly appendfsync: string;
}

/**
 * Adds metrics of the memory, the settings and the disk of Redis, read at every scrape from every master. While Redis is away, or if it forbids `INFO`, the
 * metrics keep their last values.
 */
export function addRedisGauges(metrics: Metrics, redis: Redis): void {
  const masters = shareReading(() => onEveryMaster(redis, readFacts));
  const facts = async (): Promise<RedisFacts | undefined> => {
    const read = await masters();
    return read === undefined ? undefined : inAll(read);
  };
  const gauge = (name: `mailhook_redis_${string}`, help: string, valueOf: (facts: RedisFacts) => number): void => {
    metrics.gauge({
      name,
      help,
      collect: async (one) => {
        const read = await facts();
        if (read !== undefined) one.set(valueOf(read));
      },
    });
  };
  gauge('mailhook_redis_memory_used_bytes', 'Memory that Redis uses', ({ usedBytes }) => usedBytes);
  gauge('mailhook_redis_memory_limit_bytes', 'maxmemory of Redis; 0 for none', ({ limitBytes }) => limitBytes);
  gauge(
    'mailhook_redis_memory_headroom_ratio',
    'Share of maxmemory that is free, 1 without a limit; below 0.1 no more events are accepted',
    ({ headroom }) => headroom,
  );
  gauge('mailhook_redis_replicas', 'Replicas that follow this Redis', ({ replicas }) => replicas);
  addSettingsGauges(metrics, masters);
  metrics.gauge({
    name: 'mailhook_redis_clock_skew_seconds',
    help: 'How far the clock of this service is ahead of that of Redis; wrong by at most half a round trip',
    collect: async (one) => {
      const skewMs = await readSkewMs(redis).catch(() => undefined);
      if (skewMs !== undefined) one.set(skewMs / 1000);
    },
  });
}

function addSettingsGauges(metrics: Metrics, masters: () => Promise<readonly RedisFacts[] | undefined>): void {
  metrics.gauge({
    name: 'mailhook_redis_settings',
    help: 'Always 1: the labels are the settings that accepted events depend on',
    labels: ['version', 'policy', 'appendonly', 'appendfsync'],
    collect: async (one) => {
      const read = await masters();
      if (read === undefined) return;
      one.reset();
      for (const { settings } of read) one.set({ ...settings }, 1);
    },
  });
  metrics.gauge({
    name: 'mailhook_redis_disk_failing',
    help: '1 while Redis cannot write to its disk and takes no events (write), or its last rewrite of the append-only file or snapshot failed',
    labels: ['what'],
    collect: async (one) => {
      const read = await masters();
      if (read === undefined) return;
      for (const what of DISK_TASKS) one.set({ what }, read.some(({ failing }) => failing.includes(what)) ? 1 : 0);
    },
  });
}

async function readFacts(redis: Redis): Promise<RedisFacts> {
  const [text, appendfsync = 'unknown', refusal] = await Promise.all([
    redis.info(),
    readSetting(redis, 'appendfsync'),
    readDiskRefusal(redis),
  ]);
  const info = parseInfo(text);
  const hasFailed: Readonly<Record<DiskTask, boolean>> = {
    write: refusal !== undefined || info.get('aof_last_write_status') === 'err',
    rewrite: info.get('aof_last_bgrewrite_status') === 'err',
    snapshot: info.get('rdb_last_bgsave_status') === 'err',
  };
  const usedBytes = Number(info.get('used_memory') ?? 0);
  const limitBytes = Number(info.get('maxmemory') ?? 0);
  return {
    usedBytes,
    limitBytes,
    headroom: limitBytes === 0 ? 1 : Math.max(0, 1 - usedBytes / limitBytes),
    replicas: Number(info.get('connected_slaves') ?? 0),
    settings: {
      version: info.get('redis_version') ?? 'unknown',
      policy: info.get('maxmemory_policy') ?? 'unknown',
      appendonly: info.get('aof_enabled') === '1' ? 'yes' : 'no',
      appendfsync,
    },
    failing: DISK_TASKS.filter((task) => hasFailed[task]),
  };
}

/** For a cluster, the sum of the masters' bytes, and the headroom of the fullest master. */
function inAll(masters: readonly RedisFacts[]): RedisFacts {
  const worst = masters.reduce((a, b) => (b.headroom < a.headroom ? b : a));
  const sum = (of: (facts: RedisFacts) => number): number => masters.reduce((total, one) => total + of(one), 0);
  return {
    ...worst,
    usedBytes: sum(({ usedBytes }) => usedBytes),
    limitBytes: sum(({ limitBytes }) => limitBytes),
    replicas: Math.min(...masters.map(({ replicas }) => replicas)),
  };
}

async function readSkewMs(redis: Redis): Promise<number> {
  const askedAtMs = Date.now();
  const [seconds, microseconds] = await redis.time();
  return (askedAtMs + Date.now()) / 2 - (Number(seconds) * 1000 + Number(microseconds) / 1000);
}
