import { diskTask } from '@mailhook/core';
import type { Redis } from './connect.ts';
import type { Metrics } from '../metrics/index.ts';
import { shareReading } from '../metrics/index.ts';
import { combineMasters, readMasters, readSkewMs } from './facts.ts';
import type { RedisFacts } from './facts.ts';

/**
 * Adds metrics of the memory, the settings and the disk of Redis, read at every scrape from every master. While Redis
 * is away, or if it forbids `INFO`, the metrics keep their last values.
 */
export function addRedisGauges(metrics: Metrics, redis: Redis): void {
  const masters = shareReading(() => readMasters(redis));
  const facts = async (): Promise<RedisFacts | undefined> => {
    const read = await masters();
    return read === undefined ? undefined : combineMasters(read);
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
  gauge(
    'mailhook_redis_delayed_syncs',
    'How often Redis, since its start, wrote on although a sync of its append-only file had taken over two seconds',
    ({ disk }) => disk.delayedSyncs,
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
    labels: ['version', 'policy', 'appendonly', 'appendfsync', 'no_appendfsync_on_rewrite'],
    collect: async (one) => {
      const read = await masters();
      if (read === undefined) return;
      one.reset();
      for (const { settings } of read) {
        const { noAppendfsyncOnRewrite, ...others } = settings;
        one.set({ ...others, no_appendfsync_on_rewrite: noAppendfsyncOnRewrite }, 1);
      }
    },
  });
  metrics.gauge({
    name: 'mailhook_redis_disk_failing',
    help: '1 while Redis cannot write to its disk and takes no events (write), or its last rewrite or snapshot failed',
    labels: ['what'],
    collect: async (one) => {
      const read = await masters();
      if (read === undefined) return;
      for (const what of diskTask.options)
        one.set({ what }, read.some(({ failing }) => failing.includes(what)) ? 1 : 0);
    },
  });
}
