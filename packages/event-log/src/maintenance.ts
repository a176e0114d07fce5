import { randomBytes } from 'node:crypto';
import { DamagedLogError } from './bytes.ts';
import type { Catalog, Segment } from './catalog.ts';
import type { LoggedEvent } from './entry.ts';
import type { Erasure, Erasures } from './erasures.ts';
import type { LogHash } from './fingerprint.ts';
import type { LostWrites } from './lost-writes.ts';
import { mergedChunks } from './merge.ts';
import { pausing } from './pausing.ts';
import type { BlockKeys } from './sealed-block.ts';
import { newSegmentName } from './segment-name.ts';
import type { LogStore } from './store.ts';

const MINUTE_MS = 60 * 1000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Readers that have listed a replaced object may still read it for this long. */
const REPLACED_FOR_MS = 15 * MINUTE_MS;
/** Segments of a span are merged this long after its end, because a slow closer may still put one. */
const SETTLED_AFTER_MS = MINUTE_MS;
/** A merge never reads more, so that one object stays small enough to copy. */
const MERGED_BYTES_MAX = 256 * 1024 * 1024;
/** With a larger difference between the clocks, one of them is wrong, and nothing is deleted for its age. */
const CLOCKS_DIFFER_MAX_MS = HOUR_MS;
/** Erasures wait for each other up to this long, so that one pass a day rewrites for all. */
const ERASED_AFTER_MS = 20 * HOUR_MS;
/** Another process may close a segment without an erasure that is so young. */
const ERASURE_UNSEEN_MS = HOUR_MS;

const PASSES = 'passes/';

/** What one run did. */
export interface MaintenanceReport {
  readonly merged: number;
  readonly deleted: number;
  /** Segments that were rewritten because of erasures. */
  readonly rewritten: number;
  /** How much later the clock of the store is than the shared one. Above an hour, nothing is deleted for its age. */
  readonly clockDifferenceMs: number;
}

export interface MaintenanceDeps {
  readonly store: LogStore;
  readonly catalog: Catalog;
  readonly hash: LogHash;
  readonly erasures: Erasures;
  readonly lostWrites: LostWrites;
  readonly keys: BlockKeys | undefined;
  readonly clockMs: () => Promise<number>;
  readonly retentionMs: number;
}

/** By when the bytes of what is erased now are gone. */
export const goneByMs = (nowMs: number, retentionMs: number): number =>
  nowMs + Math.min(ERASED_AFTER_MS + 2 * HOUR_MS + REPLACED_FOR_MS, retentionMs + lateMs(retentionMs));

/** How long the bytes of an entry may stay beyond the retention. */
const lateMs = (retentionMs: number): number => Math.max(retentionMs / 10, HOUR_MS);

/**
 * The spans whose segments become one: 5 minutes, an hour, a day, but at most a twelfth of the retention. What closing
 * and maintenance take must fit between that and the tenth by which bytes may be late.
 */
function mergeSpans(retentionMs: number): number[] {
  const longestMs = Math.max(5 * MINUTE_MS, Math.min(DAY_MS, retentionMs / 12));
  return [...[5 * MINUTE_MS, HOUR_MS].filter((spanMs) => spanMs < longestMs), longestMs];
}

/**
 * Merges, erases and deletes in one shard, one process at a time. A second one for a moment, or a crash at any point,
 * leaves objects that say the same, which readers take as one and the next run puts in order.
 * It deletes first: on a full disk, nothing else succeeds.
 */
export async function maintain(deps: MaintenanceDeps, shard: string): Promise<MaintenanceReport> {
  const clockDifferenceMs = await clockDifference(deps);
  const deleted = await deleteFromShard(deps, shard, Math.abs(clockDifferenceMs) <= CLOCKS_DIFFER_MAX_MS);
  const merged = await mergeShard(deps, shard);
  const rewritten = await eraseFromShard(deps, shard);
  return { merged, deleted, rewritten, clockDifferenceMs };
}

async function mergeShard(deps: MaintenanceDeps, shard: string): Promise<number> {
  let merged = 0;
  for (const spanMs of mergeSpans(deps.retentionMs)) {
    const { live } = await deps.catalog.segments(shard);
    for (const group of mergeable(live, spanMs, await deps.clockMs())) {
      merged += await mergeGroup(deps, shard, group);
    }
  }
  return merged;
}

/** Merges what can be read. A damaged segment stays as it is until it is beyond the retention. */
async function mergeGroup(deps: MaintenanceDeps, shard: string, group: readonly Segment[]): Promise<number> {
  if (group.length < 2) return 0;
  try {
    await replace(deps, shard, group);
    return group.length;
  } catch (error) {
    const rest = group.filter(({ object }) => error instanceof DamagedLogError && object.name !== error.object);
    if (rest.length === 0 || rest.length === group.length) throw error;
    return mergeGroup(deps, shard, rest);
  }
}

/** The segments of each span that is over, if there are several. */
function mergeable(live: readonly Segment[], spanMs: number, nowMs: number): Segment[][] {
  const spans = new Map<number, Segment[][]>();
  for (const segment of live) {
    const span = Math.floor(segment.closedFromMs / spanMs);
    const isWithin = segment.closedToMs < (span + 1) * spanMs;
    if (!isWithin || nowMs < (span + 1) * spanMs + SETTLED_AFTER_MS) continue;
    const groups = spans.get(span) ?? [[]];
    spans.set(span, groups);
    const group = groups.at(-1) as Segment[];
    const bytes = group.reduce((sum, { object }) => sum + object.bytes, segment.object.bytes);
    if (group.length > 0 && bytes > MERGED_BYTES_MAX) groups.push([segment]);
    else group.push(segment);
  }
  return [...spans.values()].flat().filter((group) => group.length > 1);
}

/** Puts one segment in the place of others of the shard. */
async function replace(deps: MaintenanceDeps, shard: string, inputs: readonly Segment[]): Promise<void> {
  const { store, catalog, hash, erasures, keys, clockMs } = deps;
  const madeAtMs = await clockMs();
  const name = newSegmentName({
    shard,
    closedFromMs: Math.min(...inputs.map(({ closedFromMs }) => closedFromMs)),
    closedToMs: Math.max(...inputs.map(({ closedToMs }) => closedToMs)),
    generation: 1 + Math.max(...inputs.map(({ generation }) => generation)),
    madeAtMs,
  });
  const keeps = async (account: string) => {
    const isErased = await erasures.matcherOf(account);
    return isErased && ((event: LoggedEvent): boolean => !isErased(event));
  };
  const chunks = mergedChunks({ catalog: catalog.readingAhead(inputs), hash, keeps, keys }, inputs);
  await store.put(name, pausing(chunks));
}

/** Rewrites what holds erased events, once the oldest erasure since the last pass is old enough. */
async function eraseFromShard(deps: MaintenanceDeps, shard: string): Promise<number> {
  const { store, catalog, erasures, clockMs } = deps;
  const startMs = await clockMs();
  const passes = (await store.list(`${PASSES}${shard}/`)).map(({ name }) => name);
  const lastMs = Math.max(0, ...passes.map((name) => Number(name.slice(name.lastIndexOf('/') + 1))));
  const pending = (await erasures.list()).filter(({ madeAtMs }) => madeAtMs > lastMs - ERASURE_UNSEEN_MS);
  // The hour before the last pass is done again, but does not alone make a pass due.
  if (!pending.some(({ madeAtMs }) => madeAtMs > lastMs && madeAtMs <= startMs - ERASED_AFTER_MS)) return 0;
  let rewritten = 0;
  for (const segment of (await catalog.segments(shard)).live) {
    if (!(await holdsErased(catalog, segment, pending))) continue;
    try {
      await replace(deps, shard, [segment]);
      rewritten += 1;
    } catch (error) {
      // Its retention deletes it.
      if (!(error instanceof DamagedLogError)) throw error;
    }
  }
  await store.put(`${PASSES}${shard}/${startMs}`, []);
  for (const name of passes) await store.delete(name);
  return rewritten;
}

/** Whether the segment may hold events that are erased. */
async function holdsErased(catalog: Catalog, segment: Segment, erasures: readonly Erasure[]): Promise<boolean> {
  for (const { account, madeAtMs, field, fingerprint } of erasures) {
    const blocks = segment.index
      .rowsOf(account)
      .filter(({ events, firstMs }) => events > 0 && firstMs <= madeAtMs)
      .map((row) => ({ segment, row }));
    const holding = field === 'all' ? blocks : await catalog.holding(blocks, field, [fingerprint]);
    if (holding.length > 0) return true;
  }
  return false;
}

/** Deletes replaced objects, and, unless a clock is wrong, what is beyond the retention, with what hides it. */
async function deleteFromShard(deps: MaintenanceDeps, shard: string, trustsClock: boolean): Promise<number> {
  const { store, catalog, erasures, lostWrites, clockMs, retentionMs } = deps;
  const now = await clockMs();
  if (trustsClock) await lostWrites.forgetBefore(shard, now - retentionMs);
  const { listed, read } = await catalog.segments(shard);
  const replaced = new Set(
    read
      .filter(({ madeAtMs, object }) => Math.max(madeAtMs, object.storedAtMs) <= now - REPLACED_FOR_MS)
      .flatMap(({ index }) => index.replaces),
  );
  // A segment goes after what it replaces, because otherwise that would come back.
  const leaving = listed
    .filter(({ object, closedToMs }) => replaced.has(object.name) || (trustsClock && closedToMs < now - retentionMs))
    .sort((a, b) => a.generation - b.generation || a.madeAtMs - b.madeAtMs);
  for (const { object } of leaving) await store.delete(object.name);
  if (trustsClock) {
    const beforeMs = now - retentionMs - lateMs(retentionMs);
    await erasures.forget((await erasures.list()).filter(({ madeAtMs }) => madeAtMs < beforeMs));
  }
  return leaving.length;
}

/** Puts an object to see the clock of the store. */
export async function clockDifference({ store, clockMs }: Pick<MaintenanceDeps, 'store' | 'clockMs'>): Promise<number> {
  const name = `clock/${randomBytes(8).toString('hex')}`;
  await store.put(name, []);
  await store.get(name);
  const [object] = await store.list(name);
  await store.delete(name);
  return object === undefined ? 0 : object.storedAtMs - (await clockMs());
}
