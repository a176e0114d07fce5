import { mechanism } from '@mailhook/core';
import type { Installation, LogBuffer, LogCommands } from '@mailhook/delivery';
import { createLogCommands, engineKeys } from '@mailhook/delivery';
import type { LogContent, LoggedEvent, OutcomeResult } from '@mailhook/event-log';
import { chunkQueueKeys } from '@mailhook/delivery/mailbox';

/** What is accepted and in no segment yet, of all shards. */
export interface Recent {
  readonly content: LogContent;
  /** Nothing that was accepted before this time appears any more. Unix milliseconds. */
  readonly completeUntilMs: number;
}

/** A chunk is noted as accepted at most this long after its time of acceptance. */
const NOTED_WITHIN_MS = 2000;
/** Searches of one moment share a reading. */
const SHARED_MS = 200;
/** A chunk that is accepted for longer is looked at: its job may have failed, or never been written. */
const SUSPECT_AFTER_MS = 60_000;
/** Most that one reading takes from a buffer. A reader takes all of it. */
const ALL = { chunks: 100_000, outcomes: 1_000_000 };

export type LogShards = readonly LogCommands[];

export const openShards = (installation: Installation): LogShards =>
  Array.from({ length: installation.shards }, (_, shard) =>
    createLogCommands(installation.redis, engineKeys(installation.prefix, shard, 'campaign')),
  );

/** What a segment gets of a buffer. */
export const contentOf = ({ chunks, outcomes, gaps }: LogBuffer): LogContent => ({
  events: chunks.flatMap(({ id, acceptedAtMs, events }) =>
    events.map(({ number, ...event }): LoggedEvent => ({ acceptedAtMs, chunk: id, n: number, ...event })),
  ),
  outcomes: outcomes.map(({ result, ...outcome }) => ({ ...outcome, result: result as OutcomeResult })),
  gaps: gaps.map((gap) => ({ ...gap, reason: 'store' })),
});

/** Reads the buffers of all shards. Rejects while Redis is away. */
export function createReadRecent(installation: Installation, shards: LogShards): () => Promise<Recent> {
  let last: { readonly atMs: number; readonly recent: Promise<Recent> } | undefined;
  const read = async (): Promise<Recent> => {
    const nowMs = Date.now();
    // Before the buffers: a chunk that ends meanwhile is in them.
    const open = await Promise.all(shards.map((commands, shard) => oldestOpenMs(installation, commands, shard)));
    const buffers = await Promise.all(shards.map((commands) => commands.read(ALL)));
    const contents = buffers.map(contentOf);
    return {
      content: {
        events: contents.flatMap(({ events }) => events),
        outcomes: contents.flatMap(({ outcomes }) => outcomes),
        gaps: contents.flatMap(({ gaps }) => gaps),
      },
      completeUntilMs: Math.min(nowMs - NOTED_WITHIN_MS, ...open),
    };
  };
  return () => {
    const nowMs = Date.now();
    if (last === undefined || nowMs - last.atMs >= SHARED_MS || nowMs < last.atMs) {
      const recent = read();
      recent.catch(() => (last = undefined));
      last = { atMs: nowMs, recent };
    }
    return last.recent;
  };
}

/** When the oldest chunk was accepted that is not in the log, Infinity if all are. Forgets chunks without a job. */
async function oldestOpenMs(installation: Installation, commands: LogCommands, shard: number): Promise<number> {
  for (;;) {
    const oldest = await commands.oldestOpen();
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const isSuspect = Date.now() - oldest.acceptedAtMs > SUSPECT_AFTER_MS;
    if (!isSuspect || (await hasJob(installation, shard, oldest.id))) return oldest.acceptedAtMs;
    await commands.forgetOpen(oldest.id);
  }
}

/** Whether a chunk has a job that has not failed. A failed one is in the log when an operator retries it. */
async function hasJob({ redis, prefix }: Installation, shard: number, chunk: string): Promise<boolean> {
  for (const kind of mechanism.options) {
    const queue = chunkQueueKeys(engineKeys(prefix, shard, kind));
    const [exists, failedAt] = await Promise.all([redis.exists(queue.job(chunk)), redis.zscore(queue.failed, chunk)]);
    if (exists === 1 && failedAt === null) return true;
  }
  return false;
}
