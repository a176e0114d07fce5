import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { mechanism } from '@mailhook/core';
import type { Installation, LogCommands } from '@mailhook/delivery';
import { engineKeys } from '@mailhook/delivery';
import { readWorkers } from '@mailhook/delivery/mailbox';
import { createEventLog, createFolderStore, MissingObjectError } from '@mailhook/event-log';
import type { EventLog, LogStore } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { memoryLimitBytes, withLock } from '@mailhook/platform/redis';
import type { Config } from '../config.ts';
import { createReadRecent, openShards } from './buffers.ts';
import type { LogShards, Recent } from './buffers.ts';
import { startCloser } from './closer.ts';

/** The event log of this installation, while it is on. */
export interface OpenLog extends Closeable {
  readonly log: EventLog;
  readonly readRecent: () => Promise<Recent>;
  readonly shards: LogShards;
  readonly retentionMs: number;
}

type LogConfig = Pick<Config, 'EVENT_LOG' | 'EVENT_LOG_RETENTION' | 'EVENT_LOG_SPOOL' | 'QUEUE_PREFIX'>;

interface OpenDeps {
  readonly installation: Installation;
  readonly logger: Logger;
  readonly onClosed: (events: number) => void;
}

/**
 * Opens the event log, and tells the workers. Undefined if it is off; its buffers are deleted then. Rejects if the store
 * cannot be used.
 */
export async function openEventLog(config: LogConfig, deps: OpenDeps): Promise<OpenLog | undefined> {
  const { installation, logger, onClosed } = deps;
  const { redis } = installation;
  const shards = openShards(installation);
  if (config.EVENT_LOG === undefined) {
    await Promise.all(shards.map((commands) => switchOff(commands)));
    return undefined;
  }
  const store = await openStore(config.EVENT_LOG);
  const key = await keyOf(store, installation, config.QUEUE_PREFIX);
  const log = createEventLog({ store, key, retentionMs: config.EVENT_LOG_RETENTION });
  const limitBytes = await memoryLimitBytes(redis);
  const shareBytes = limitBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(limitBytes / 4 / shards.length);
  const spool = Math.min(config.EVENT_LOG_SPOOL, shareBytes);
  await Promise.all(shards.map((commands) => commands.switchOn(spool)));
  await untilWorkersKnow(installation);
  const closer = startCloser({ shards, log, redis, prefix: config.QUEUE_PREFIX, logger, onClosed });
  return {
    log,
    shards,
    readRecent: createReadRecent(installation, shards),
    retentionMs: config.EVENT_LOG_RETENTION,
    async close() {
      await closer.close();
      await store.close();
    },
  };
}

async function switchOff(commands: LogCommands): Promise<void> {
  const { maxBytes } = await commands.readState();
  if (maxBytes > 0) await commands.switchOff();
}

const S3 = /^s3:\/\//;

async function openStore(place: string): Promise<LogStore> {
  if (!S3.test(place)) return createFolderStore(place);
  return Promise.reject(new Error('EVENT_LOG: s3:// is not supported yet'));
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

const ASK_MS = 50;

/** Resolves when every worker has had a heartbeat, which says that the log is on, or has lost its lease. */
async function untilWorkersKnow(installation: Installation): Promise<void> {
  const { redis, prefix, shards } = installation;
  const places = Array.from({ length: shards }, (_, shard) => shard).flatMap((shard) =>
    mechanism.options.map((kind) => engineKeys(prefix, shard, kind)),
  );
  const leases = async () => (await Promise.all(places.map((keys) => readWorkers(redis, keys)))).flat();
  const before = new Map((await leases()).map(({ id, leaseUntilMs }) => [id, leaseUntilMs]));
  for (;;) {
    const [seconds] = await redis.time();
    const nowMs = Number(seconds) * 1000;
    const waiting = (await leases()).filter(
      ({ id, leaseUntilMs }) => before.get(id) === leaseUntilMs && leaseUntilMs > nowMs,
    );
    if (waiting.length === 0) return;
    await setTimeout(ASK_MS);
  }
}
