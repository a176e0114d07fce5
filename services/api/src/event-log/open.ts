import type { Store } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Installation, LogCommands } from '@mailhook/delivery';
import { createEventLogBuffers } from '@mailhook/delivery';
import { createEventLog } from '@mailhook/event-log';
import type { EventLog } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { memoryLimitBytes, readTimeMs } from '@mailhook/platform/redis';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Config } from '../config.ts';
import { createBeacons } from './beacons.ts';
import { createBlockKeys } from './block-keys.ts';
import { createReadRecent } from './buffers.ts';
import type { Recent } from './buffers.ts';
import { startCloser } from './closer.ts';
import { createGuardedStore } from './guarded-store.ts';
import { createLazyLog } from './lazy-log.ts';
import { addLogMetrics } from './log-metrics.ts';
import { wasUsable } from './log-places.ts';
import { isFolder, keyOf, openStore } from './place.ts';
import { createStoredFacts } from './stored-facts.ts';
import type { StoredFacts } from './stored-facts.ts';
import { createStoreTimes } from './store-times.ts';

/** The event log of this installation, while it is on. */
export interface OpenLog extends Closeable {
  readonly log: EventLog;
  readonly readRecent: (account: string) => Promise<Recent>;
  /** Of each shard. */
  readonly buffers: readonly LogCommands[];
  readonly retentionMs: number;
}

export interface WatchedLog extends OpenLog {
  /** What operators see of the store. Rejects while Redis is away. */
  readonly readStored: () => Promise<StoredFacts>;
}

type LogConfig = Pick<
  Config,
  'EVENT_LOG' | 'EVENT_LOG_RETENTION' | 'EVENT_LOG_SPOOL' | 'AWS_ENDPOINT_URL_S3' | 'QUEUE_PREFIX'
>;

interface OpenDeps {
  readonly installation: Installation;
  readonly accounts: Store;
  readonly sealing: Sealing;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Opens the event log, and switches it on for the workers. Undefined if it is off.
 * Rejects if the store cannot be used, and never could.
 */
export async function openEventLog(config: LogConfig, deps: OpenDeps): Promise<WatchedLog | undefined> {
  const { installation, accounts, sealing, logger, metrics } = deps;
  const { redis } = installation;
  if (config.EVENT_LOG === undefined) return undefined;
  const buffers = createEventLogBuffers(installation);
  const place = await openStore(config.EVENT_LOG, config.AWS_ENDPOINT_URL_S3);
  const folder = isFolder(config.EVENT_LOG) ? config.EVENT_LOG : undefined;
  const unchecked = createGuardedStore(place);
  const beacons = folder ? createBeacons({ store: unchecked, redis, prefix: config.QUEUE_PREFIX, logger }) : undefined;
  const times = createStoreTimes(metrics);
  const store = createGuardedStore(place, { faultOf: () => beacons?.fault(), times });
  const clockMs = () => readTimeMs(redis);
  const log = createLazyLog(async () => {
    await beacons?.check();
    return createEventLog({
      store,
      key: await keyOf(unchecked, installation, config.QUEUE_PREFIX),
      keys: sealing.hasKey ? createBlockKeys({ store: accounts, sealing, clockMs }) : undefined,
      retentionMs: config.EVENT_LOG_RETENTION,
      clockMs,
      shardOf: (account) => String(shardOf(account, installation.shards)),
      onDamaged: (error) => {
        observe.failed();
        logger.error('a part of the event log cannot be read; searches show a gap in its place', { error });
      },
    });
  });
  try {
    await log.probe();
  } catch (error) {
    const isRefused = beacons?.fault() === undefined && !(await wasUsable(installation, config.EVENT_LOG));
    if (isRefused) throw error;
    logger.error('the store of the event log cannot be used; the api starts, and tries again', { error });
  }
  const limitBytes = await memoryLimitBytes(redis);
  const shareBytes = limitBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(limitBytes / 4 / installation.shards);
  const spool = Math.min(config.EVENT_LOG_SPOOL, shareBytes);
  await buffers.switchOn(spool);
  const { observe, readExtent } = addLogMetrics(metrics, { shards: buffers.shards, log, folder });
  const retentionMs = config.EVENT_LOG_RETENTION;
  const facts = createStoredFacts({ installation, times, readExtent, retentionMs });
  const closer = startCloser({
    shards: buffers.shards,
    log,
    maxBytes: spool,
    redis,
    prefix: config.QUEUE_PREFIX,
    logger,
    observe: facts.noting(observe),
  });
  return {
    log,
    readRecent: createReadRecent(buffers),
    buffers: buffers.shards,
    retentionMs,
    readStored: () => facts.read(),
    async close() {
      await closer.close();
      await beacons?.close();
      await store.close();
    },
  };
}
