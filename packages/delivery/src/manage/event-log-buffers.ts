import { setTimeout } from 'node:timers/promises';
import { mechanism } from '@mailhook/core';
import type { LogCommands } from '../mailbox/commands/log.ts';
import { createLogCommands } from '../mailbox/commands/log.ts';
import type { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { readWorkers } from '../mailbox/workers.ts';
import { hasChunkJob } from './chunk-job.ts';

/** A chunk that was accepted this long ago may have a failed job, or never have had one. */
const SUSPECT_AFTER_MS = 60_000;
const ASK_MS = 50;

/** The event log's buffers of all shards, for the apis. All methods reject while Redis is away. */
export interface EventLogBuffers {
  /** Of each shard. */
  readonly shards: readonly LogCommands[];
  /** Resolves when every worker knows that the log is on. `maxBytes`: what the buffer of a shard takes. */
  switchOn(maxBytes: number): Promise<void>;
  /** Deletes what the buffers hold. The time of its oldest part is noted before, in Unix milliseconds. */
  switchOff(noteLost?: (sinceMs: number) => Promise<void>): Promise<void>;
  /**
   * When the oldest chunk was accepted that is not in the log, in Unix milliseconds. Infinity if all are. A failed job
   * does not count: its events are in the log when an operator retries it.
   */
  oldestOpenMs(): Promise<number>;
}

export function createEventLogBuffers(installation: Installation): EventLogBuffers {
  const { redis, prefix, shards: count } = installation;
  const shards = Array.from({ length: count }, (_, shard) =>
    createLogCommands(redis, engineKeys(prefix, shard, 'campaign')),
  );
  return {
    shards,
    async switchOn(maxBytes) {
      const before = await Promise.all(shards.map((commands) => commands.readState()));
      await Promise.all(shards.map((commands) => commands.switchOn(maxBytes)));
      if (before.some((state) => state.maxBytes === 0)) await untilWorkersKnow(installation);
    },
    async switchOff(noteLost) {
      for (const commands of shards) await commands.switchOff(noteLost);
    },
    async oldestOpenMs() {
      const oldest = await Promise.all(shards.map((commands, shard) => oldestOpenOf(installation, commands, shard)));
      return Math.min(...oldest);
    },
  };
}

/** Resolves when every worker has had a heartbeat, which says that the log is on, or has lost its lease. */
async function untilWorkersKnow(installation: Installation): Promise<void> {
  const { redis } = installation;
  const readLeases = async () =>
    (await Promise.all(installation.allKeys().map((keys) => readWorkers(redis, keys)))).flat();
  const before = new Map((await readLeases()).map(({ id, leaseUntilMs }) => [id, leaseUntilMs]));
  for (;;) {
    const [seconds] = await redis.time();
    const nowMs = Number(seconds) * 1000;
    const isUnaware = (await readLeases()).some(
      ({ id, leaseUntilMs }) => before.get(id) === leaseUntilMs && leaseUntilMs > nowMs,
    );
    if (!isUnaware) return;
    await setTimeout(ASK_MS);
  }
}

async function oldestOpenOf(installation: Installation, commands: LogCommands, shard: number): Promise<number> {
  for (;;) {
    const oldest = await commands.oldestOpen();
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const isSuspect = Date.now() - oldest.acceptedAtMs > SUSPECT_AFTER_MS;
    if (!isSuspect || (await hasJob(installation, shard, oldest.id))) return oldest.acceptedAtMs;
    await commands.forgetOpen(oldest.id);
  }
}

async function hasJob({ redis, prefix }: Installation, shard: number, chunk: string): Promise<boolean> {
  const ofKinds = mechanism.options.map((kind) => hasChunkJob(redis, engineKeys(prefix, shard, kind), chunk));
  return (await Promise.all(ofKinds)).includes(true);
}
