import type { DamagedLogError } from './bytes.ts';
import { Catalog } from './catalog.ts';
import { CLOSING_LEVEL } from './compression.ts';
import type { EntryPosition, LogContent, LoggedEvent, LogItem } from './entry.ts';
import { Erasures } from './erasures.ts';
import type { ErasedEvents } from './erasures.ts';
import { clockDifference, goneByMs, maintain } from './maintenance.ts';
import { LostWrites } from './lost-writes.ts';
import type { LostSpan } from './lost-writes.ts';
import type { MaintenanceReport } from './maintenance.ts';
import { createLogHash } from './fingerprint.ts';
import { pausing } from './pausing.ts';
import type { LogQuery } from './query.ts';
import { Reader } from './reader.ts';
import type { LogPage, ScanPage } from './reader.ts';
import { newSegmentName } from './segment-name.ts';
import type { BlockKeys } from './sealed-block.ts';
import { segmentChunks } from './segment-writer.ts';
import type { LogStore } from './store.ts';

/** Memory for the indexes of segments. */
const INDEX_BYTES = 96 * 1024 * 1024;
/** How long one call works, and the count before a replay. */
const CALL_MS = 2000;
const COUNT_MS = 5000;

export interface EventLogOptions {
  readonly store: LogStore;
  /** A secret of the installation that stays the same as long as the log has segments. */
  readonly key: string;
  readonly retentionMs: number;
  /** Undefined: new blocks are not sealed. */
  readonly keys?: BlockKeys | undefined;
  readonly nowMs?: () => number;
  /**
   * A clock that all processes share, in whole milliseconds. Segments have its times, and it decides what is deleted.
   * Default: `nowMs`.
   */
  readonly clockMs?: () => Promise<number>;
  readonly indexBytes?: number;
  /** The shard whose segments have an account's events. Default: `0`. */
  readonly shardOf?: (account: string) => string;
  /** Is called once per damaged object, which is left out of answers and shown as a gap. */
  readonly onDamaged?: (error: DamagedLogError) => void;
}

export interface LogExtent {
  readonly segments: number;
  /** Of all objects of segments, those that have been replaced included. */
  readonly bytes: number;
  /** When the oldest stored event was accepted. Absent: none is stored. It may be beyond the retention. */
  readonly oldestMs?: number;
}

interface LogProbe {
  /** How much later the clock of the store is than the shared one. */
  readonly clockDifferenceMs: number;
  /** Whether bytes of deleted objects stay. Undefined if the store does not say. */
  readonly keepsDeleted: boolean | undefined;
}

/** The log of one installation, as an api process uses it. All calls reject if the store fails. */
export interface EventLog {
  /**
   * Puts the content of a shard's buffer into a new segment. When it has returned, the buffer may be trimmed. To close
   * the same content twice does no harm.
   */
  close(shard: string, content: LogContent): Promise<void>;
  /**
   * Newest first. `recent` is the buffer of all shards, read before the call. @throws RangeError for a cursor of other
   * filters.
   */
  search(
    query: LogQuery,
    recent: LogContent,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<LogPage>;
  /** Oldest first, from behind a position. */
  scan(
    query: LogQuery,
    recent: LogContent,
    page: { readonly limit: number; readonly after?: EntryPosition | undefined },
  ): Promise<ScanPage>;
  /** How many events a scan would find, or those of them that `isWanted` takes. */
  count(
    query: LogQuery,
    recent: LogContent,
    isWanted?: (event: LoggedEvent) => boolean,
  ): Promise<{ readonly events: number; readonly isComplete: boolean }>;
  /** The entries with these names, in their order, without those that the log does not have. One list for all. */
  find(account: string, entries: readonly string[], recent: LogContent): Promise<LogItem[]>;
  /** Shows a gap to all accounts of the shard. To add a span twice does no harm. */
  addLost(shard: string, span: LostSpan): Promise<void>;
  /** Hides events at the same moment, and says by when their bytes are gone. */
  erase(account: string, erased: ErasedEvents): Promise<{ readonly goneFromLogByMs: number }>;
  /** Whether any object still has bytes of the account. */
  holdsAccount(account: string): Promise<boolean>;
  /** Puts, reads, lists and deletes an object. Rejects if the store does not let it. */
  probe(): Promise<LogProbe>;
  /** What the store holds. */
  extent(): Promise<LogExtent>;
  /** Merges, erases and deletes in one shard. Every minute, by the process that closes it. */
  maintain(shard: string): Promise<MaintenanceReport>;
  /** Bytes of indexes in memory. */
  readonly indexBytes: number;
}

export function createEventLog(options: EventLogOptions): EventLog {
  const { store, key, keys, retentionMs, nowMs = Date.now, indexBytes = INDEX_BYTES, shardOf = () => '0' } = options;
  const { clockMs = () => Promise.resolve(nowMs()) } = options;
  const hash = createLogHash(key);
  const damaged = new Set<string | undefined>();
  const onDamaged = (error: DamagedLogError): void => {
    if (!damaged.has(error.object)) options.onDamaged?.(error);
    damaged.add(error.object);
  };
  const catalog = new Catalog({ store, hash, onDamaged, keys }, indexBytes);
  const erasures = new Erasures(store, hash, nowMs);
  const lostWrites = new LostWrites(store, nowMs);
  const reader = new Reader({ catalog, hash, erasures, lostWrites, nowMs, retentionMs, shardOf });
  const within = (ms: number) => {
    const endMs = nowMs() + ms;
    return () => nowMs() >= endMs;
  };
  return {
    async close(shard, content) {
      const kept = await withoutErased(erasures, content);
      const madeAtMs = await clockMs();
      const name = newSegmentName({ shard, closedFromMs: madeAtMs, closedToMs: madeAtMs, generation: 0, madeAtMs });
      await store.put(name, pausing(segmentChunks(hash, kept, CLOSING_LEVEL, keys)));
    },
    search: (query, recent, page) => reader.search(query, recent, { ...page, isSpent: within(CALL_MS) }),
    scan: (query, recent, page) => reader.scan(query, recent, { ...page, isSpent: within(CALL_MS) }),
    count: (query, recent, isWanted) => reader.count(query, recent, { isWanted, isSpent: within(COUNT_MS) }),
    find: (account, entries, recent) => reader.find(account, entries, recent),
    // A Redis that has lost all of its data does not know since when.
    addLost: (shard, { fromMs, ...span }) =>
      lostWrites.add(shard, { ...span, fromMs: fromMs === 0 ? Math.max(0, span.toMs - retentionMs) : fromMs }),
    async erase(account, erased) {
      // Events have the times of apis, and no clock that is behind may spare them.
      const madeAtMs = Math.max(await clockMs(), nowMs());
      await erasures.add(account, erased, madeAtMs);
      return { goneFromLogByMs: goneByMs(madeAtMs, retentionMs) };
    },
    async holdsAccount(account) {
      const { damaged, read } = await catalog.segments(undefined, true);
      return damaged.length > 0 || catalog.blocksOf(account, read).length > 0;
    },
    probe: async () => ({
      clockDifferenceMs: await clockDifference({ store, clockMs }),
      keepsDeleted: store.keepsDeleted === undefined ? false : await store.keepsDeleted(),
    }),
    async extent() {
      const { listed, live } = await catalog.segments();
      const bytes = listed.reduce((sum, { object }) => sum + object.bytes, 0);
      const times = live.map(({ index }) => index.oldestMs).filter((ms) => ms > 0);
      return { segments: live.length, bytes, ...(times.length > 0 && { oldestMs: Math.min(...times) }) };
    },
    maintain: (shard) => maintain({ store, catalog, hash, erasures, lostWrites, keys, clockMs, retentionMs }, shard),
    get indexBytes() {
      return catalog.cachedBytes;
    },
  };
}

async function withoutErased(erasures: Erasures, content: LogContent): Promise<LogContent> {
  if ((await erasures.list()).length === 0) return content;
  const matchers = new Map<string, ((event: LoggedEvent) => boolean) | undefined>();
  for (const account of new Set(content.events.map((event) => event.account)))
    matchers.set(account, await erasures.matcherOf(account));
  return { ...content, events: content.events.filter((event) => matchers.get(event.account)?.(event) !== true) };
}
