import type { LogCommands } from '@mailhook/delivery';
import type { EventLog } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { isMemoryNearlyFull, withLock } from '@mailhook/platform/redis';
import { contentOf } from './buffers.ts';

const EVERY_MS = 1000;
/**
 * A buffer is closed when its oldest chunk, outcome or gap is this old, when it holds this many bytes, or when it holds
 * enough for an object and has not grown since the last check: the end of a burst need not stay in Redis.
 */
const CLOSE_AFTER_MS = 10_000;
const CLOSE_BYTES = 4_000_000;
const QUIET_BYTES = 250_000;
/** What one segment takes of a buffer. After an hour without the store, an api must not take all into its memory. */
const SEGMENT_MAX = { chunks: 2000, outcomes: 20_000, bytes: 2 * CLOSE_BYTES };
/** Only one api closes a shard. Another one takes over after this time without a sign. */
const LEASE_MS = 30_000;
const MAINTAIN_EVERY_MS = 60_000;
/** A run that merges large segments may take this long. */
const MAINTAIN_LEASE_MS = 600_000;
/** While Redis is nearly full, the buffer takes nothing for this long after each check. */
const FULL_MS = 5000;

export interface CloserDeps {
  readonly shards: readonly LogCommands[];
  readonly log: Pick<EventLog, 'close' | 'maintain' | 'addLost'>;
  /** What the buffer of a shard takes. */
  readonly maxBytes: number;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  readonly observe: LogObserver;
  readonly everyMs?: number;
  readonly closeAfterMs?: number;
}

/** Takes notes of what the closer does. */
export interface LogObserver {
  closed(events: number, gapEvents: number): void;
  /** A write to the store, or a reading for it, failed. */
  failed(): void;
}

/** Moves the buffers of all shards into segments, and merges, erases and deletes, one api per shard at a time. */
export function startCloser(deps: CloserDeps): Closeable {
  const closers = deps.shards.map((commands, shard) => new ShardCloser(deps, commands, shard));
  const closing = every(deps.everyMs ?? EVERY_MS, async () => {
    await Promise.all(closers.map((closer) => closer.run()));
  });
  const maintaining = every(MAINTAIN_EVERY_MS, () => maintain(deps));
  return {
    async close() {
      await Promise.all([closing.close(), maintaining.close()]);
    },
  };
}

async function maintain({ shards, log, redis, prefix, logger, observe }: CloserDeps): Promise<void> {
  for (const shard of shards.keys()) {
    const lock = { key: `${prefix}:log-maintenance:${shard}`, forMs: MAINTAIN_LEASE_MS };
    await withLock(redis, lock, () => log.maintain(String(shard))).catch((error: unknown) => {
      observe.failed();
      logger.warn('the segments of the event log could not be merged; the next try follows', { error, shard });
    });
  }
}

/** The closer of one shard. */
class ShardCloser {
  readonly #deps: CloserDeps;
  readonly #commands: LogCommands;
  readonly #shard: number;
  /** What was ever taken from the buffer when it began to wait, and since when. */
  #waiting: { readonly taken: string; readonly sinceMs: number } | undefined;
  #bytes = 0;
  #lost = '[]';
  #hasFailed = false;

  constructor(deps: CloserDeps, commands: LogCommands, shard: number) {
    this.#deps = deps;
    this.#commands = commands;
    this.#shard = shard;
  }

  async run(): Promise<void> {
    const { redis, prefix, logger } = this.#deps;
    try {
      // Redis may have lost it, and an api without a log may have seen no sign of this one yet.
      if (!(await this.#commands.isOn())) await this.#commands.switchOn(this.#deps.maxBytes);
      if (await isMemoryNearlyFull(redis)) await this.#commands.setFullUntil(Date.now() + FULL_MS);
      await this.#noteLost();
      if (!(await this.#isDue())) return;
      await withLock(redis, { key: `${prefix}:log-closer:${this.#shard}`, forMs: LEASE_MS }, () => this.#close());
      this.#hasFailed = false;
      // What is taken of gaps does not show in `taken`, so the next ones would be due immediately.
      this.#waiting = undefined;
    } catch (error) {
      // Once per fault: a store may be away for an hour.
      if (!this.#hasFailed) logger.error('the event log could not be written; the next try follows', { error });
      this.#hasFailed = true;
    }
  }

  /** Whether the buffer is old or large enough. */
  async #isDue(): Promise<boolean> {
    const { bytes, taken, hasGaps } = await this.#commands.readState();
    const nowMs = Date.now();
    if (bytes === 0 && !hasGaps) this.#waiting = undefined;
    else if (this.#waiting?.taken !== taken) this.#waiting = { taken, sinceMs: nowMs };
    const { closeAfterMs = CLOSE_AFTER_MS } = this.#deps;
    const isOld = this.#waiting !== undefined && nowMs - this.#waiting.sinceMs >= closeAfterMs;
    const isQuiet = bytes >= QUIET_BYTES && bytes === this.#bytes;
    this.#bytes = bytes;
    return isOld || isQuiet || bytes >= CLOSE_BYTES;
  }

  /** The store keeps what Redis says for a day only. */
  async #noteLost(): Promise<void> {
    const spans = await this.#commands.readLostWrites();
    const text = JSON.stringify(spans);
    if (text === this.#lost) return;
    for (const span of spans)
      await this.#atStore(() => this.#deps.log.addLost(String(this.#shard), { ...span, reason: 'redis' }));
    this.#lost = text;
  }

  async #close(): Promise<void> {
    const { log, observe } = this.#deps;
    for (let hasMore = true; hasMore;) {
      const buffer = await this.#commands.take(SEGMENT_MAX);
      hasMore = buffer.hasMore;
      const content = contentOf(buffer);
      if (content.events.length + content.outcomes.length + content.gaps.length > 0)
        await this.#atStore(() => log.close(String(this.#shard), content));
      // Also of chunks without events. Another api may have been quicker; its segment says the same, and counts.
      if (buffer.size === 0 || !(await this.#commands.trim(buffer.read))) break;
      observe.closed(
        content.events.length,
        content.gaps.reduce((sum, { events }) => sum + events, 0),
      );
    }
  }

  async #atStore(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.observe.failed();
      throw error;
    }
  }
}
