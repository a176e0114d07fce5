import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Installation, LogCommands } from '@mailhook/delivery';
import { createEventLogBuffers } from '@mailhook/delivery';
import { createEventLog, createFolderStore, createS3Store, MissingObjectError } from '@mailhook/event-log';
import type { EventLog, LogStore } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { memoryLimitBytes, withLock } from '@mailhook/platform/redis';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Config } from '../config.ts';
import { startBeacons } from './beacons.ts';
import { createBlockKeys } from './block-keys.ts';
import { createReadRecent } from './buffers.ts';
import type { Recent } from './buffers.ts';
import { startCloser } from './closer.ts';
import { createGuardedStore } from './guarded-store.ts';
import { addLogMetrics } from './log-metrics.ts';

/** The event log of this installation, while it is on. */
export interface OpenLog extends Closeable {
  readonly log: EventLog;
  readonly readRecent: () => Promise<Recent>;
  /** Of each shard. */
  readonly buffers: readonly LogCommands[];
  readonly retentionMs: number;
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
 * Opens the event log, and switches it on for the workers. Undefined if it is off; its buffers are deleted then.
 * Rejects if the store cannot be used.
 */
export async function openEventLog(config: LogConfig, deps: OpenDeps): Promise<OpenLog | undefined> {
  const { installation, accounts, sealing, logger, metrics } = deps;
  const { redis } = installation;
  const buffers = createEventLogBuffers(installation);
  if (config.EVENT_LOG === undefined) {
    await buffers.switchOff();
    return undefined;
  }
  const place = await openStore(config.EVENT_LOG, config.AWS_ENDPOINT_URL_S3);
  const isFolder = !S3.test(config.EVENT_LOG);
  const beacons = isFolder
    ? await startBeacons({ store: place, redis, prefix: config.QUEUE_PREFIX, logger })
    : undefined;
  const store = createGuardedStore(place, () => beacons?.fault());
  const key = await keyOf(place, installation, config.QUEUE_PREFIX);
  const log = createEventLog({
    store,
    key,
    keys: sealing.hasKey ? createBlockKeys({ store: accounts, sealing }) : undefined,
    retentionMs: config.EVENT_LOG_RETENTION,
    shardOf: (account) => String(shardOf(account, installation.shards)),
    onDamaged: (error) => {
      observe.failed();
      logger.error('a part of the event log cannot be read; searches show a gap in its place', { error });
    },
  });
  const limitBytes = await memoryLimitBytes(redis);
  const shareBytes = limitBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(limitBytes / 4 / installation.shards);
  const spool = Math.min(config.EVENT_LOG_SPOOL, shareBytes);
  await buffers.switchOn(spool);
  const observe = addLogMetrics(metrics, {
    shards: buffers.shards,
    log,
    folder: isFolder ? config.EVENT_LOG : undefined,
  });
  const closer = startCloser({
    shards: buffers.shards,
    log,
    maxBytes: spool,
    redis,
    prefix: config.QUEUE_PREFIX,
    logger,
    observe,
  });
  return {
    log,
    readRecent: createReadRecent(buffers),
    buffers: buffers.shards,
    retentionMs: config.EVENT_LOG_RETENTION,
    async close() {
      await closer.close();
      await beacons?.close();
      await store.close();
    },
  };
}

const S3 = /^s3:\/\/([^/]+)\/?(.*)$/;

/** A folder, or a bucket, for which the variables of Amazon's SDK count. */
async function openStore(place: string, endpoint: string | undefined): Promise<LogStore> {
  const [, bucket, prefix = ''] = S3.exec(place) ?? [];
  if (bucket === undefined) return createFolderStore(place);
  return createS3Store({ bucket, prefix: prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`, endpoint });
}

const KEY_OBJECT = 'key';
const KEY_LOCK_MS = 30_000;
const KEY_WAIT_MS = 100;

/** The secret of the log, which is made once and lies with it, so that a log can be moved. */
async function keyOf(store: LogStore, { redis }: Installation, prefix: string): Promise<string> {
  for (;;) {
    const found = await readKey(store);
    if (found !== undefined) return found;
    // One api makes it.
    await withLock(redis, { key: `${prefix}:log-key`, forMs: KEY_LOCK_MS }, async () => {
      if ((await readKey(store)) === undefined)
        await store.put(KEY_OBJECT, [Buffer.from(randomBytes(32).toString('hex'))]);
    });
    await setTimeout(KEY_WAIT_MS);
  }
}

async function readKey(store: LogStore): Promise<string | undefined> {
  try {
    return (await store.get(KEY_OBJECT)).toString();
  } catch (error) {
    if (error instanceof MissingObjectError) return undefined;
    throw error;
  }
}
