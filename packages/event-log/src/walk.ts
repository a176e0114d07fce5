import type { FoldedOutcome } from './block.ts';
import type { BlockRef, Catalog, OnDamagedBlock } from './catalog.ts';
import { compareEntries } from './entry.ts';
import type { EntryPosition, LoggedEvent, OutcomeFacts } from './entry.ts';

/** An event on the way to the reader, with the outcomes that its blocks have for it. */
export interface FoundEvent {
  readonly event: LoggedEvent;
  readonly folded: readonly OutcomeFacts[];
}

export type Direction = 'newest first' | 'oldest first';

/** Says when a call has worked long enough. */
export type Budget = () => boolean;

/** Blocks that one step opens at most. Steps grow while blocks have fewer wanted events than expected. */
const STEP_BLOCKS_MAX = 32;
/** Compressed bytes that one step reads at most. */
const STEP_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The wanted events of an account in order, over blocks whose times may overlap. A block is read when its times are
 * reached, and an event comes when no unread block can have one before it.
 */
export class Walk {
  readonly #deps: WalkDeps;
  readonly #sign: 1 | -1;
  /** Unread blocks, the next one last. */
  readonly #unread: BlockRef[];
  /** Found events that wait for their turn, the next one last. */
  #found: FoundEvent[];
  #stepBlocks = 1;
  #readBytes = 0;
  #isStopped = false;
  /** Where the walk has come to: every wanted event before it has been taken. */
  #position: EntryPosition | undefined;

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#sign = deps.direction === 'oldest first' ? 1 : -1;
    this.#position = deps.after;
    this.#unread = deps.blocks.toSorted((a, b) => this.#sign * (this.#edgeOf(b) - this.#edgeOf(a)));
    this.#found = [];
    this.#add(deps.recent.map((event) => ({ event, folded: [] })));
  }

  /** The position that a later call can go on from. Undefined: nothing has been taken yet. */
  get position(): EntryPosition | undefined {
    return this.#position;
  }

  /** Whether the walk has taken all there is. */
  get isAtEnd(): boolean {
    return this.#unread.length === 0 && this.#found.length === 0;
  }

  /** Up to `max` events in order. Fewer at the end, or when the budget is spent: `isAtEnd` says which. */
  async take(max: number, isSpent: Budget): Promise<FoundEvent[]> {
    const taken: FoundEvent[] = [];
    while (taken.length < max && !this.#isStopped) {
      const next = this.#found.at(-1);
      const block = this.#unread.at(-1);
      const isBlockFirst =
        block !== undefined &&
        (next === undefined || this.#sign * (this.#edgeOf(block) - next.event.acceptedAtMs) <= 0);
      if (isBlockFirst) {
        const isEnough = this.#readBytes >= this.#deps.bytesMax || isSpent();
        if (isEnough && this.#stopsBefore(block)) break;
        await this.#readMore(next, max - taken.length);
      } else if (next === undefined) break;
      else {
        this.#found.pop();
        this.#position = next.event;
        taken.push(next);
      }
    }
    return taken;
  }

  /** Stops before a block, unless this call has come no further than the one before. */
  #stopsBefore(block: BlockRef): boolean {
    if (this.#readBytes === 0) return false;
    const edgeMs = this.#edgeOf(block);
    const before = this.#sign === 1 ? lastOf(edgeMs - 1) : { acceptedAtMs: edgeMs + 1, chunk: '', n: 0 };
    if (this.#position !== undefined && this.#sign * compareEntries(before, this.#position) <= 0) return false;
    this.#position = before;
    this.#isStopped = true;
    return true;
  }

  /** Where a block begins, in the direction of the walk. */
  #edgeOf({ row }: BlockRef): number {
    return this.#sign === 1 ? row.firstMs : row.lastMs;
  }

  async #readMore(next: FoundEvent | undefined, missing: number): Promise<void> {
    const step: BlockRef[] = [];
    let [bytes, expected] = [0, 0];
    for (let block = this.#unread.at(-1); block !== undefined; block = this.#unread.at(-1)) {
      const isNeeded =
        step.length === 0 || (next !== undefined && this.#sign * (this.#edgeOf(block) - next.event.acceptedAtMs) <= 0);
      if (step.length > 0 && bytes + block.row.bytes > STEP_BYTES_MAX) break;
      const isEnough = step.length >= this.#stepBlocks && expected >= missing;
      if (!isNeeded && (isEnough || step.length >= STEP_BLOCKS_MAX)) break;
      step.push(block);
      expected += this.#deps.isSpread === true ? 1 : block.row.events;
      bytes += block.row.bytes;
      this.#unread.pop();
    }
    this.#readBytes += bytes;
    const { catalog, account } = this.#deps;
    const contents = await catalog.read(account, step.toSorted(byPlace), this.#deps.onDamaged);
    const found = contents.flatMap(({ events, folded }) => {
      const outcomes = folded.length === 0 ? undefined : outcomesByPosition(folded);
      return events.map((event, i) => ({ event, folded: outcomes?.get(i) ?? [] }));
    });
    const isAny = this.#add(found);
    this.#stepBlocks = isAny ? 1 : 2 * step.length;
  }

  /** Adds the wanted ones of these events, equal names as one. */
  #add(events: readonly FoundEvent[]): boolean {
    const { after, isWanted } = this.#deps;
    const wanted = events.filter(
      ({ event }) => (after === undefined || this.#sign * compareEntries(event, after) > 0) && isWanted(event),
    );
    if (wanted.length === 0) return false;
    const sorted = [...this.#found, ...wanted].sort((a, b) => this.#sign * compareEntries(b.event, a.event));
    const found: FoundEvent[] = [];
    for (const one of sorted) {
      const last = found.at(-1);
      if (last === undefined || compareEntries(last.event, one.event) !== 0) found.push(one);
      else found[found.length - 1] = { event: last.event, folded: [...last.folded, ...one.folded] };
    }
    this.#found = found;
    return true;
  }
}

export interface WalkDeps {
  readonly catalog: Catalog;
  readonly account: string;
  readonly blocks: readonly BlockRef[];
  /** Events that are in no segment yet. */
  readonly recent: readonly LoggedEvent[];
  readonly isWanted: (event: LoggedEvent) => boolean;
  readonly direction: Direction;
  /** Only events beyond this position, in the direction of the walk. */
  readonly after: EntryPosition | undefined;
  /** Compressed bytes that are read at most. */
  readonly bytesMax: number;
  /** Whether each block probably has one wanted event, so that a step reads as many blocks as events are missing. */
  readonly isSpread?: boolean;
  /** Absent: a damaged block ends the walk with an error. */
  readonly onDamaged?: OnDamagedBlock;
}

/** A position behind all entries of a millisecond: `~` follows every character of a chunk's id. */
const lastOf = (acceptedAtMs: number): EntryPosition => ({ acceptedAtMs, chunk: '~', n: 0 });

const byPlace = (a: BlockRef, b: BlockRef): number =>
  a.segment === b.segment ? a.row.offset - b.row.offset : a.segment.object.name < b.segment.object.name ? -1 : 1;

function outcomesByPosition(folded: readonly FoldedOutcome[]): ReadonlyMap<number, readonly OutcomeFacts[]> {
  const found = new Map<number, OutcomeFacts[]>();
  for (const { positions, ...facts } of folded)
    for (const position of positions) {
      const known = found.get(position);
      if (known === undefined) found.set(position, [facts]);
      else known.push(facts);
    }
  return found;
}
