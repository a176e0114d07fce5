import { replyBucketOf } from '@mailhook/core';
import { createRunner } from '../mailbox/functions.ts';
import { placeOf, SERIES, SLOTS } from './history-keys.ts';
import type { Installation } from '../mailbox/installation.ts';

interface DeliveryCounterOptions {
  readonly onError: (error: Error) => void;
  /** Time between two writes. Default 3 s. */
  readonly flushMs?: number;
}

/** An attempt as it is counted. */
interface CountedAttempt {
  /** Delivered events. */
  readonly events: number;
  /** By its status in the attempt log. */
  readonly isDelivered: boolean;
  readonly endedAtMs: number;
  /** Events that the receiver left out of its acknowledgement. */
  readonly unconfirmed?: number;
  /** The time to the reply or to the deadline. Undefined if the attempt had neither. */
  readonly replyMs?: number | undefined;
  /** Whether it reached the deadline. */
  readonly isTimeout?: boolean;
}

/** Counts attempts, delivered events and reply times per destination, for pictures and the state of the destination. */
export interface DeliveryCounter {
  count(account: string, destination: string, attempt: CountedAttempt): void;
  /** Writes the remaining counts. */
  close(): Promise<void>;
}

/** Most destinations counted between two writes. Attempts of further ones are not counted. */
const DESTINATIONS_MAX = 100_000;
/** Also in a text of `operations/account/content.ts`. */
const FLUSH_MS = 3000;
const DESTINATIONS_PER_WRITE = 100;

/** The counts of a destination in one of the shortest cells. */
interface Tally {
  readonly account: string;
  readonly destination: string;
  readonly startMs: number;
  /** By slot. */
  readonly counts: Map<number, number>;
}

/** What is added to a hash, by field and by the number of the count. */
interface CountedHash {
  readonly keptS: number;
  readonly fields: Map<string, Map<number, number>>;
}

const [{ cellMs: CELL_MS }] = SERIES;

/**
 * Counts in memory and writes every few seconds, so that an attempt costs only a map lookup. The counts are not exact.
 * Unwritten counts are lost when the process dies, and a write is counted twice if its reply was lost.
 */
export function createDeliveryCounter(
  installation: Installation,
  { onError, flushMs = FLUSH_MS }: DeliveryCounterOptions,
): DeliveryCounter {
  const write = createWriter(installation);
  let tallies = new Map<string, Tally>();
  // Counts of the previous cell, if a cell has ended since the last write, and counts of failed writes.
  let ended: Tally[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const flush = async (): Promise<void> => {
    timer = undefined;
    const left = [...ended, ...tallies.values()];
    tallies = new Map();
    ended = [];
    try {
      for (; left.length > 0; left.splice(0, DESTINATIONS_PER_WRITE)) {
        await write(left.slice(0, DESTINATIONS_PER_WRITE));
      }
    } catch (error) {
      onError(error as Error);
      ended = [...left, ...ended].slice(0, DESTINATIONS_MAX);
      schedule();
    }
  };
  const schedule = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void flush(), flushMs);
  };

  return {
    count(account, destination, attempt) {
      const startMs = attempt.endedAtMs - (attempt.endedAtMs % CELL_MS);
      let tally = tallies.get(destination);
      if (tally?.startMs !== startMs) {
        if (tallies.size + ended.length >= DESTINATIONS_MAX) return;
        if (tally !== undefined) ended.push(tally);
        tallies.set(destination, (tally = { account, destination, startMs, counts: new Map() }));
        schedule();
      }
      addTo(tally.counts, attempt);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

function addTo(counts: Map<number, number>, attempt: CountedAttempt): void {
  const { events, isDelivered, unconfirmed = 0, replyMs, isTimeout = false } = attempt;
  const add = (slot: number, count: number): void => {
    if (count > 0) counts.set(slot, (counts.get(slot) ?? 0) + count);
  };
  add(SLOTS.events, events);
  add(SLOTS.unconfirmed, unconfirmed);
  add(isDelivered ? SLOTS.delivered : SLOTS.failed, 1);
  if (replyMs !== undefined) add(SLOTS.replies + replyBucketOf(replyMs), 1);
  if (isTimeout) add(SLOTS.timeouts, 1);
}

/**
 * Writes counts of some destinations. A call takes only a part, because thousands of them would block Redis and this
 * process.
 */
function createWriter(installation: Installation) {
  const run = createRunner(installation.redis);
  const writeShard = async (tallies: readonly Tally[]): Promise<void> => {
    const hashes = new Map<string, CountedHash>();
    for (const { account, destination, startMs, counts } of tallies) {
      for (const series of SERIES) {
        const { block, cell } = placeOf(series, startMs);
        const key = installation.keysOf(account, 'campaign').history(account, block);
        const hash = getOrAdd(hashes, key, (): CountedHash => ({ keptS: series.keptS, fields: new Map() }));
        const field = getOrAdd(hash.fields, destination, () => new Map<number, number>());
        for (const [slot, count] of counts) field.set(cell + slot, (field.get(cell + slot) ?? 0) + count);
      }
    }
    const args = [...hashes].flatMap(([key, { keptS, fields }]) => [
      key,
      keptS,
      fields.size,
      ...[...fields].flatMap(([field, counts]) => [field, counts.size, ...[...counts].flat()]),
    ]);
    const [first] = tallies;
    if (first !== undefined) await run('add-counts', installation.keysOf(first.account, 'campaign'), ...args);
  };
  // The keys of one function call must lie in one shard.
  return async (tallies: readonly Tally[]): Promise<void> => {
    const parts = new Map<number, Tally[]>();
    for (const tally of tallies) {
      const { shard } = installation.keysOf(tally.account, 'campaign');
      getOrAdd(parts, shard, () => []).push(tally);
    }
    await Promise.all([...parts.values()].map(writeShard));
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
