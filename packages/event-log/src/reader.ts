import type { BlockRef, Catalog } from './catalog.ts';
import { entryName, parseEntryName } from './entry.ts';
import type { EntryPosition, LogContent, LoggedEvent, LoggedGap, LogItem } from './entry.ts';
import type { Erasures } from './erasures.ts';
import { derivedNames, isDerivedName } from './event-keys.ts';
import { KEY_FIELDS } from './fingerprint.ts';
import type { LogHash } from './fingerprint.ts';
import type { LostWrites } from './lost-writes.ts';
import { Outcomes } from './outcomes.ts';
import {
  asksIndexOnly,
  eventMatcher,
  indexedQuery,
  typeMatcher,
  itemMatcher,
  readCursor,
  readsOutcomes,
  writeCursor,
} from './query.ts';
import type { LogQuery } from './query.ts';
import { Walk } from './walk.ts';
import type { Budget, Direction, FoundEvent } from './walk.ts';

export interface LogPage {
  /** Newest first, at most as many as wanted. */
  readonly items: readonly LogItem[];
  /** Gaps in the span of this page. */
  readonly gaps: readonly LoggedGap[];
  /** Absent: the list ends here. A page may have fewer items than wanted, or none, and still a cursor. */
  readonly nextCursor?: string;
  /** With a cursor: no event accepted at this time or later is missing in the pages up to here. */
  readonly searchedUntilMs?: number;
}

export interface ScanPage {
  /** Oldest first. */
  readonly items: readonly LogItem[];
  /** Where the next scan goes on. Undefined: nothing has been read. */
  readonly position: EntryPosition | undefined;
  readonly isAtEnd: boolean;
  /** Events in blocks on the way that are damaged. */
  readonly lost: number;
}

/** Events whose outcomes are looked for together. */
const OUTCOMES_AT_ONCE = 128;
const COUNTED_AT_ONCE = 1024;
/** Compressed bytes that one call reads at most. */
const CALL_BYTES_MAX = 16 * 1024 * 1024;

export interface ReaderDeps {
  readonly catalog: Catalog;
  readonly hash: LogHash;
  readonly erasures: Erasures;
  readonly lostWrites: LostWrites;
  readonly nowMs: () => number;
  readonly retentionMs: number;
  readonly shardOf: (account: string) => string;
}

/** What a call reads from: as much as is in no segment yet, and the blocks of the account. */
interface Sources {
  readonly walk: Walk;
  readonly outcomes: Outcomes;
  readonly blocks: readonly BlockRef[];
  /** Damaged blocks that the walk has left out. */
  readonly damaged: readonly BlockRef[];
  /** Where this call begins, if it goes on. */
  readonly afterMs: number;
  /** The spans of damaged segments, which may have had events of the account. */
  readonly gaps: readonly LoggedGap[];
  /** Wanted events in blocks that the walk leaves out, because the index is enough to count them. */
  readonly counted: number;
}

interface How {
  /** Only events beyond it. */
  readonly after?: EntryPosition | undefined;
  /** Whether an event is wanted, beside the query. */
  readonly isWanted?: ((event: LoggedEvent) => boolean) | undefined;
  /** Whether the events are only counted. */
  readonly isCount?: boolean;
  /** When the wanted events were accepted, oldest first, if that is known: only their blocks are read. */
  readonly times?: readonly number[];
}

/**
 * Reads the events of one account. `recent` is the content of the buffer, of all accounts. It must have been read
 * before the call: what is closed in between is in a segment by then.
 */
export class Reader {
  readonly #deps: ReaderDeps;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** @throws RangeError for a cursor of other filters. */
  async search(
    query: LogQuery,
    recent: LogContent,
    page: { readonly limit: number; readonly cursor?: string | undefined; readonly isSpent: Budget },
  ): Promise<LogPage> {
    const after = page.cursor === undefined ? undefined : readCursor(query, page.cursor);
    let found = await this.#page(query, recent, page, { after });
    const { id, ...others } = query;
    if (found.items.length === 0 && found.position === undefined && isDerivedName(id)) {
      // No filter has names that only the body of an event shows, so all events are read.
      const isWanted = (event: LoggedEvent): boolean => derivedNames(event).includes(id);
      found = await this.#page(others, recent, page, { after, isWanted });
    }
    const { position, ...shown } = found;
    if (position === undefined) return shown;
    return { ...shown, nextCursor: writeCursor(query, position), searchedUntilMs: position.acceptedAtMs };
  }

  async #page(
    query: LogQuery,
    recent: LogContent,
    { limit, isSpent }: { readonly limit: number; readonly isSpent: Budget },
    how: How,
  ): Promise<Pick<LogPage, 'items' | 'gaps'> & { readonly position?: EntryPosition }> {
    const sources = await this.#open(query, recent, 'newest first', how);
    const { items, position, isAtEnd } = await this.#collect(sources, query, limit, isSpent);
    const untilMs = isAtEnd || position === undefined ? undefined : position.acceptedAtMs;
    const gaps = await this.#gapsOf(query, recent, sources, {
      fromMs: untilMs ?? -Infinity,
      toMs: how.after?.acceptedAtMs ?? Infinity,
    });
    if (isAtEnd || position === undefined) return { items, gaps };
    return { items, gaps, position };
  }

  /** Goes through the events in order, from behind a position, as a replay takes them. */
  async scan(
    query: LogQuery,
    recent: LogContent,
    page: { readonly limit: number; readonly after?: EntryPosition | undefined; readonly isSpent: Budget },
  ): Promise<ScanPage> {
    const sources = await this.#open(query, recent, 'oldest first', { after: page.after });
    return this.#collect(sources, query, page.limit, page.isSpent);
  }

  /** The number of events that a scan would find, as far as it comes. */
  async count(
    query: LogQuery,
    recent: LogContent,
    { isWanted, isSpent }: Pick<How, 'isWanted'> & { readonly isSpent: Budget },
  ): Promise<{ events: number; isComplete: boolean }> {
    const { walk, outcomes, counted, damaged } = await this.#open(query, recent, 'oldest first', {
      isWanted,
      isCount: true,
    });
    let events = counted;
    while (!isSpent()) {
      const found = await walk.take(COUNTED_AT_ONCE, isSpent);
      events += readsOutcomes(query) ? (await wantedItems(outcomes, query, found)).length : found.length;
      if (walk.isAtEnd) return { events, isComplete: damaged.length === 0 };
    }
    return { events, isComplete: false };
  }

  /** The entries with these names, in the order of the names, without those that are not here. */
  async find(account: string, names: readonly string[], recent: LogContent): Promise<LogItem[]> {
    const times = names.flatMap((name) => parseEntryName(name)?.acceptedAtMs ?? []).sort((a, b) => a - b);
    const [fromMs, lastMs] = [times[0], times.at(-1)];
    if (fromMs === undefined || lastMs === undefined) return [];
    const wanted = new Set(names);
    const query = { account, fromMs, toMs: lastMs + 1 };
    const isWanted = (event: LoggedEvent): boolean => wanted.has(entryName(event));
    const sources = await this.#open(query, recent, 'oldest first', { isWanted, times });
    const { items } = await this.#collect(sources, query, wanted.size, () => false);
    const byName = new Map(items.map((item) => [entryName(item.event), item]));
    return names.flatMap((name) => byName.get(name) ?? []);
  }

  async #open(query: LogQuery, recent: LogContent, direction: Direction, how: How): Promise<Sources> {
    const { catalog, erasures, nowMs, retentionMs, shardOf } = this.#deps;
    const { account } = query;
    const [isErased, segments] = await Promise.all([erasures.matcherOf(account), catalog.segments()]);
    const { live } = segments;
    const blocks = catalog.blocksOf(account, live);
    const within = { ...query, fromMs: Math.max(query.fromMs ?? 0, nowMs() - retentionMs) };
    const isMatch = eventMatcher(within);
    const found = await this.#searched(within, blocks, direction, how.after);
    const searched = how.times === undefined ? found : holding(found, how.times);
    const own = recent.events.filter((event) => event.account === account);
    const isIndexEnough = how.isCount === true && how.isWanted === undefined && isErased === undefined;
    const counted = isIndexEnough ? countedByIndex(within, searched, own) : undefined;
    const damaged: BlockRef[] = [];
    const walk = new Walk({
      catalog,
      account,
      blocks: counted === undefined ? searched : searched.filter((block) => !counted.has(block)),
      recent: own,
      isWanted: (event) => isMatch(event) && how.isWanted?.(event) !== false && isErased?.(event) !== true,
      direction,
      after: how.after,
      bytesMax: how.isCount === true || how.times !== undefined ? Infinity : CALL_BYTES_MAX,
      isSpread: how.times !== undefined || KEY_FIELDS.some((field) => query[field] !== undefined),
      onDamaged: (block) => void damaged.push(block),
    });
    const outcomes = new Outcomes(catalog, account, blocks, recent.outcomes);
    const afterMs = how.after?.acceptedAtMs ?? -Infinity;
    const events = [...(counted ?? [])].reduce((sum, { row }) => sum + row.events, 0);
    return {
      walk,
      outcomes,
      blocks,
      damaged,
      afterMs,
      gaps: damagedSpans(account, shardOf(account), segments),
      counted: events,
    };
  }

  /** The blocks that may have wanted events, as far as the index knows. */
  async #searched(
    query: LogQuery,
    blocks: readonly BlockRef[],
    direction: Direction,
    after: EntryPosition | undefined,
  ): Promise<readonly BlockRef[]> {
    const { catalog, hash } = this.#deps;
    const { isWantedType, fields } = indexedQuery(query, hash);
    const [afterMs, beforeMs] =
      direction === 'oldest first' ? [after?.acceptedAtMs, undefined] : [undefined, after?.acceptedAtMs];
    const fromMs = Math.max(query.fromMs ?? 0, afterMs ?? 0);
    const lastMs = Math.min((query.toMs ?? Infinity) - 1, beforeMs ?? Infinity);
    let searched: readonly BlockRef[] = blocks.filter(
      ({ segment, row }) =>
        row.events > 0 &&
        row.lastMs >= fromMs &&
        row.firstMs <= lastMs &&
        (isWantedType === undefined || (segment.index.maskOf(isWantedType) & row.types) !== 0),
    );
    for (const { field, key } of fields) searched = await catalog.holding(searched, field, [key]);
    return searched;
  }

  async #collect(
    { walk, outcomes, damaged, afterMs }: Sources,
    query: LogQuery,
    limit: number,
    isSpent: Budget,
  ): Promise<ScanPage> {
    const items: LogItem[] = [];
    const isJudged = readsOutcomes(query);
    // A later page may read such a block again.
    const lost = () => damaged.reduce((sum, { row }) => sum + (row.firstMs > afterMs ? row.events : 0), 0);
    while (items.length < limit) {
      const max = isJudged ? OUTCOMES_AT_ONCE : limit - items.length;
      const found = await walk.take(max, isSpent);
      if (found.length === 0) break;
      const wanted = await wantedItems(outcomes, query, found);
      const kept = wanted.slice(0, limit - items.length);
      items.push(...kept);
      // The walk is further than the page.
      if (kept.length < wanted.length) return { items, position: kept.at(-1)?.event, isAtEnd: false, lost: lost() };
      if (isJudged && isSpent()) break;
    }
    return { items, position: walk.position, isAtEnd: walk.isAtEnd, lost: lost() };
  }

  /** The account's gaps whose end lies in the span of the page, each once. */
  async #gapsOf(
    query: LogQuery,
    recent: LogContent,
    sources: Sources,
    span: { readonly fromMs: number; readonly toMs: number },
  ): Promise<LoggedGap[]> {
    const { account, fromMs = -Infinity, toMs = Infinity } = query;
    const { catalog, lostWrites, shardOf } = this.#deps;
    const stored = await catalog.read(
      account,
      sources.blocks.filter(({ row }) => row.hasGaps),
      () => undefined,
    );
    const gaps = [
      ...stored.flatMap((one) => one.gaps),
      ...sources.damaged.map(({ row }) => gapOf(account, row.firstMs, row.lastMs, row.events)),
      ...sources.gaps,
      ...(await lostWrites.of(shardOf(account))).map((lost) => ({ account, ...lost, events: 0 })),
      ...recent.gaps.filter((one) => one.account === account),
    ];
    const seen = new Set<string>();
    return gaps
      .filter((gap) => {
        const text = JSON.stringify(gap);
        if (seen.has(text)) return false;
        seen.add(text);
        const endMs = Math.min(gap.toMs, toMs - 1);
        return gap.fromMs < toMs && gap.toMs >= fromMs && endMs > span.fromMs && endMs <= span.toMs;
      })
      .sort((a, b) => b.toMs - a.toMs || b.fromMs - a.fromMs);
  }
}

/** The blocks whose span has one of these times, which are sorted. */
const holding = (blocks: readonly BlockRef[], times: readonly number[]): readonly BlockRef[] =>
  blocks.filter(({ row }) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] as number) < row.firstMs) low = middle + 1;
      else high = middle;
    }
    return (times[low] ?? Infinity) <= row.lastMs;
  });

const gapOf = (account: string, fromMs: number, toMs: number, events: number): LoggedGap => ({
  account,
  fromMs,
  toMs,
  events,
  reason: 'store',
});

/** For each damaged segment of a shard the time since the closing before it. Nobody knows which accounts it is of. */
const damagedSpans = (account: string, shard: string, { live, damaged }: Awaited<ReturnType<Catalog['segments']>>) =>
  damaged
    .filter((segment) => segment.shard === shard)
    .map(({ closedFromMs, closedToMs }) => {
      const before = live.filter((one) => one.shard === shard && one.closedToMs < closedFromMs);
      return gapOf(account, Math.max(0, ...before.map((one) => one.closedToMs)), closedToMs, 0);
    });

const wantedItems = async (outcomes: Outcomes, query: LogQuery, found: readonly FoundEvent[]): Promise<LogItem[]> =>
  (await outcomes.of(found)).filter(itemMatcher(query));

/** The blocks all of whose events are wanted, and in no other block or buffer: their times meet with no other's. */
function countedByIndex(
  query: LogQuery & { readonly fromMs: number },
  blocks: readonly BlockRef[],
  recent: readonly LoggedEvent[],
): ReadonlySet<BlockRef> {
  if (!asksIndexOnly(query)) return new Set();
  const { fromMs, toMs = Infinity } = query;
  const isWantedType = typeMatcher(query) ?? (() => true);
  const spans = [
    ...blocks.map((block) => ({ block, firstMs: block.row.firstMs, lastMs: block.row.lastMs })),
    ...recent.map(({ acceptedAtMs }) => ({ block: undefined, firstMs: acceptedAtMs, lastMs: acceptedAtMs })),
  ].sort((a, b) => a.firstMs - b.firstMs);
  let beforeMs = -Infinity;
  const counted = new Set<BlockRef>();
  for (const [i, { block, firstMs, lastMs }] of spans.entries()) {
    const isAlone = beforeMs < firstMs && (spans[i + 1]?.firstMs ?? Infinity) > lastMs;
    beforeMs = Math.max(beforeMs, lastMs);
    if (block === undefined || !isAlone || firstMs < fromMs || lastMs >= toMs) continue;
    if (block.segment.index.typesOf(block.row).every(isWantedType)) counted.add(block);
  }
  return counted;
}
