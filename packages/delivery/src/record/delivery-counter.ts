import { createRunner } from '../mailbox/functions.ts';
import type { Installation } from '../mailbox/installation.ts';
import { HISTORY_KEPT_S, historyFields, HOUR_MS } from '../mailbox/history-keys.ts';

interface DeliveryCounterOptions {
  readonly onError: (error: Error) => void;
  /** Time between two writes. Default 3 s. */
  readonly flushMs?: number;
}

/** Counts attempts and delivered events per destination, for the chart of the last 24 hours. */
export interface DeliveryCounter {
  /**
   * Counts an attempt by its status in the attempt log, the events that it delivered, and those that the receiver left
   * out of its acknowledgement.
   */
  count(
    account: string,
    destination: string,
    events: number,
    isDelivered: boolean,
    endedAtMs: number,
    unconfirmed?: number,
  ): void;
  /** Writes the remaining counts. */
  close(): Promise<void>;
}

/** Most destinations counted between two writes. Attempts of further ones are not counted. */
const DESTINATIONS_MAX = 100_000;
const FLUSH_MS = 3000;
const DESTINATIONS_PER_WRITE = 200;

interface Tally {
  readonly account: string;
  readonly destination: string;
  readonly hour: number;
  events: number;
  delivered: number;
  failed: number;
  unconfirmed: number;
}

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
  // Counts of the previous hour, if an hour has ended since the last write, and counts of failed writes.
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
    count(account, destination, events, isDelivered, endedAtMs, unconfirmed = 0) {
      const hour = Math.floor(endedAtMs / HOUR_MS);
      let tally = tallies.get(destination);
      if (tally?.hour !== hour) {
        if (tallies.size + ended.length >= DESTINATIONS_MAX) return;
        if (tally !== undefined) ended.push(tally);
        const none = { events: 0, delivered: 0, failed: 0, unconfirmed: 0 };
        tallies.set(destination, (tally = { account, destination, hour, ...none }));
        schedule();
      }
      tally.events += events;
      tally.unconfirmed += unconfirmed;
      tally[isDelivered ? 'delivered' : 'failed'] += 1;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

/**
 * Writes counts of some destinations. A call takes only a part, because thousands of them would block Redis and this
 * process.
 */
function createWriter(installation: Installation) {
  const run = createRunner(installation.redis);
  const writeShard = async (tallies: readonly Tally[]): Promise<void> => {
    const args: (string | number)[] = [HISTORY_KEPT_S];
    const add = (key: string, field: string, count: number): void => {
      if (count === 0) return;
      args.push(key, field, count);
    };
    for (const { account, destination, hour, events, delivered, failed, unconfirmed } of tallies) {
      const key = installation.keysOf(account, 'campaign').history(account, hour);
      const fields = historyFields(destination);
      add(key, fields.events, events);
      add(key, fields.delivered, delivered);
      add(key, fields.failed, failed);
      add(key, fields.unconfirmed, unconfirmed);
    }
    const [first] = tallies;
    if (first === undefined || args.length === 1) return;
    await run('add-counts', installation.keysOf(first.account, 'campaign'), ...args);
  };
  // The keys of one script call must lie in one shard.
  return async (tallies: readonly Tally[]): Promise<void> => {
    const parts = new Map<number, Tally[]>();
    for (const tally of tallies) {
      const { shard } = installation.keysOf(tally.account, 'campaign');
      const part = parts.get(shard);
      if (part === undefined) parts.set(shard, [tally]);
      else part.push(tally);
    }
    await Promise.all([...parts.values()].map(writeShard));
  };
}
