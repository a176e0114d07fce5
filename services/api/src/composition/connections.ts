import type { Store } from '@mailhook/core';
import { claimFormat, claimShardCount, openFunctions } from '@mailhook/delivery';
import { followRedisUrl } from '@mailhook/platform/config';
import type { Owned } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import {
  checkRedisRights,
  closeRedis,
  connectRedis,
  logRedisSettings,
  rewriteAfterEachStart,
  watchConnections,
  whenReady,
} from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { Config } from '../config.ts';
import { createRedisStore } from '../store/redis/redis-store.ts';

const REDIS_PATIENCE_MS = 30_000;

/**
 * Opens three connections: for requests (they fail at once while Redis is down), for workers (they wait), and for
 * pub/sub.
 */
export async function connectAll(config: Config, logger: Logger, owned: Owned) {
  const url = owned(followRedisUrl(config, logger));
  const open = (role: 'fail-fast' | 'worker', name: string) => {
    const connection = connectRedis({ url: url.now, onError: url.onError, role, name });
    owned({ close: () => closeRedis(connection) });
    return connection;
  };
  const redis = open('fail-fast', 'mailhook-api');
  const jobs = open('worker', 'mailhook-api-jobs');
  const subscriber = open('worker', 'mailhook-api-changes');
  await Promise.all([redis, jobs, subscriber].map((connection) => whenReady(connection, REDIS_PATIENCE_MS)));
  // These use a connection that waits, because a short absence of Redis must not end the start.
  await rewriteAfterEachStart(jobs, logger);
  await logRedisSettings(jobs, logger);
  await checkRedisRights(jobs, config.QUEUE_PREFIX);
  await claimShardCount(jobs, config.QUEUE_PREFIX, config.QUEUE_SHARDS);
  await claimFormat(jobs, config.QUEUE_PREFIX);
  const functions = owned(await openFunctions(jobs, config.QUEUE_PREFIX, logger));
  const watch = owned(watchConnections({ url: url.now, clients: { requests: redis, jobs, changes: subscriber } }));
  return { redis, jobs, subscriber, watch, functions };
}

/** Opens MongoDB if `MONGO_URL` is set, or else the embedded store in Redis. */
export async function openStore(config: Config, redis: Redis, logger: Logger): Promise<Store> {
  if (config.MONGO_URL === undefined) return createRedisStore({ redis, prefix: config.QUEUE_PREFIX });
  // Without MongoDB its driver would cost every start 0.2 s of CPU, and memory.
  const { openMongoStore } = await import('../store/mongo/mongo-store.ts');
  return openMongoStore({
    url: config.MONGO_URL,
    onError: (error) => logger.warn('MongoDB connection', { error: error.message }),
  });
}
