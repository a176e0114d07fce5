import { MERGING_LEVEL } from './compression.ts';
import type { BlockContent, FoldedOutcome } from './block.ts';
import type { BlockRef, Catalog, Segment } from './catalog.ts';
import type { LoggedEvent, LoggedGap, LoggedOutcome, OutcomeFacts } from './entry.ts';
import { keysIn, outcomeKeysOf } from './event-keys.ts';
import type { LogHash } from './fingerprint.ts';
import { createPause } from './pausing.ts';
import type { BlockKeys } from './sealed-block.ts';
import { BLOCK_CHARS_MAX, BLOCK_EVENTS_MAX, blocksOf, SegmentWriter } from './segment-writer.ts';
import { Walk } from './walk.ts';
import type { FoundEvent } from './walk.ts';

/**
 * Outcomes of one account that are folded in one merge, in keys of about 100 bytes of memory. Beyond it they stay by
 * themselves: readers find them, and the next merge folds more.
 */
const FOLDED_KEYS_MAX = 500_000;

/** Events of a block, on average, from which on it is taken over as it is. */
const COPIED_EVENTS_MIN = 256;
/** Events per outcome that is not folded yet. */
const COPIED_OUTCOMES_SHARE = 10;

export interface MergeDeps {
  readonly catalog: Catalog;
  readonly hash: LogHash;
  /** Whether an event of the account stays. Undefined: all do. */
  readonly keeps: (account: string) => Promise<((event: LoggedEvent) => boolean) | undefined>;
  readonly keys: BlockKeys | undefined;
}

/**
 * The chunks of one segment with the content of others: equal events once, without those that do not stay, and each
 * outcome at its event if both are here. An event of equal key in another segment keeps the outcomes of its own time.
 */
export async function* mergedChunks(
  { catalog, hash, keeps, keys }: MergeDeps,
  inputs: readonly Segment[],
): AsyncGenerator<Buffer> {
  const writer = new SegmentWriter(hash, MERGING_LEVEL);
  yield writer.start();
  for (const blocks of accountsOf(inputs)) {
    const account = await catalog.accountOf(blocks);
    const key = await keys?.current(account);
    if (keys !== undefined && key === undefined) continue;
    const keepsOf = await keeps(account);
    if (key === 'unreadable' || (keepsOf === undefined && areMerged(blocks))) {
      for await (const { block, bytes, filter } of catalog.stored(blocks)) yield writer.copy(block, bytes, filter);
      continue;
    }
    const contents = mergedAccount({ catalog, account, blocks, keeps: keepsOf ?? (() => true) });
    for await (const content of contents) yield writer.block(content, key);
  }
  yield* writer.finish(inputs.map(({ object }) => object.name));
}

/**
 * Whether blocks can be taken over as they are: they are large, and few of the outcomes in them could be folded. So the
 * events of a busy account are read and compressed in their first merge only.
 */
function areMerged(blocks: readonly BlockRef[]): boolean {
  const large = blocks.filter(({ row }) => row.events > 0);
  const events = large.reduce((sum, { row }) => sum + row.events, 0);
  const outcomeKeys = blocks.reduce((sum, { row }) => sum + row.outcomeKeys, 0);
  return events >= COPIED_EVENTS_MIN * large.length && outcomeKeys * COPIED_OUTCOMES_SHARE <= events;
}

/** The blocks of each account, in the order of segments. */
function* accountsOf(inputs: readonly Segment[]): Generator<[BlockRef, ...BlockRef[]]> {
  const places = inputs.map(() => 0);
  for (;;) {
    const next = inputs.map(({ index }, i) => (places[i] === index.count ? undefined : index.row(places[i] as number)));
    let account: bigint | undefined;
    for (const row of next) if (row && (account === undefined || row.account < account)) account = row.account;
    if (account === undefined) return;
    const blocks: BlockRef[] = [];
    for (const [i, segment] of inputs.entries()) {
      if (next[i]?.account !== account) continue;
      const rows = segment.index.rowsOf(account);
      places[i] = (places[i] as number) + rows.length;
      blocks.push(...rows.map((row) => ({ segment, row })));
    }
    yield blocks as [BlockRef, ...BlockRef[]];
  }
}

interface AccountInput {
  readonly catalog: Catalog;
  readonly account: string;
  readonly blocks: readonly BlockRef[];
  readonly keeps: (event: LoggedEvent) => boolean;
}

async function* mergedAccount({ catalog, account, blocks, keeps }: AccountInput): AsyncGenerator<BlockContent> {
  const pause = createPause();
  const { folding, others, gaps } = await readRest(catalog, account, blocks, pause);
  const walk = new Walk({
    catalog,
    account,
    blocks: blocks.filter(({ row }) => row.events > 0),
    recent: [],
    isWanted: keeps,
    direction: 'oldest first',
    after: undefined,
    bytesMax: Infinity,
  });
  let open: FoundEvent[] = [];
  let chars = 0;
  const close = (): BlockContent => {
    const content = {
      account,
      events: open.map(({ event }) => event),
      folded: folding.fold(open),
      outcomes: [],
      gaps: [],
    };
    open = [];
    chars = 0;
    return content;
  };
  // The last block may take the outcomes and gaps of a small account too.
  let last: BlockContent | undefined;
  for (;;) {
    await pause();
    const found = await walk.take(BLOCK_EVENTS_MAX, () => false);
    if (found.length === 0) break;
    for (const one of found) {
      const more = one.event.fields.length;
      if (open.length >= BLOCK_EVENTS_MAX || (open.length > 0 && chars + more > BLOCK_CHARS_MAX)) {
        if (last !== undefined) yield last;
        last = close();
      }
      open.push(one);
      chars += more;
    }
  }
  if (open.length > 0) {
    if (last !== undefined) yield last;
    last = close();
  }
  yield* ended(account, last, [...folding.rest(), ...others], gaps);
}

/** The last block of events, and all that is not at events. */
function* ended(
  account: string,
  last: BlockContent | undefined,
  outcomes: readonly LoggedOutcome[],
  gaps: readonly LoggedGap[],
): Generator<BlockContent> {
  for (const block of blocksOf({ account, events: last?.events ?? [], outcomes, gaps }))
    yield block.events.length > 0 ? { ...block, folded: last?.folded ?? [] } : block;
}

/** The outcomes that are to be folded, the others, and the gaps. */
async function readRest(catalog: Catalog, account: string, blocks: readonly BlockRef[], pause: () => Promise<void>) {
  const folding = new Folding();
  const others: LoggedOutcome[] = [];
  const gaps = new Map<string, LoggedGap>();
  for (const block of blocks) {
    if (block.row.outcomeKeys === 0 && !block.row.hasGaps) continue;
    await pause();
    const [content] = await catalog.read(account, [block]);
    for (const gap of content?.gaps ?? []) gaps.set(JSON.stringify(gap), gap);
    if (folding.keys < FOLDED_KEYS_MAX) for (const outcome of content?.outcomes ?? []) folding.add(outcome);
    else others.push(...(content?.outcomes ?? []));
  }
  return { folding, others, gaps: [...gaps.values()] };
}

/** Puts outcomes to their events. */
class Folding {
  /** The newest outcome per destination of each key. Keys of one outcome share a list. */
  readonly #byKey = new Map<string, readonly LoggedOutcome[]>();
  /** Keys that an event of this segment has. */
  readonly #folded = new Set<string>();

  get keys(): number {
    return this.#byKey.size;
  }

  add(outcome: LoggedOutcome): void {
    const alone = [outcome];
    for (const key of keysIn(outcome.keys)) {
      const known = this.#byKey.get(key);
      this.#byKey.set(key, known === undefined ? alone : withNewer(known, outcome));
    }
  }

  /** The newest outcomes of these events, with the positions of the events. */
  fold(events: readonly FoundEvent[]): FoldedOutcome[] {
    const positions = new Map<OutcomeFacts, number[]>();
    for (const [position, one] of events.entries())
      for (const outcome of this.#newestOf(one)) {
        const known = positions.get(outcome);
        if (known === undefined) positions.set(outcome, [position]);
        else known.push(position);
      }
    return [...positions].map(([facts, at]) => ({ ...factsOf(facts), positions: at }));
  }

  /** The outcomes of events that are not here. */
  *rest(): Generator<LoggedOutcome> {
    const left = new Map<LoggedOutcome, string[]>();
    for (const [key, outcomes] of this.#byKey) {
      if (this.#folded.has(key)) continue;
      for (const outcome of outcomes) {
        const keys = left.get(outcome);
        if (keys === undefined) left.set(outcome, [key]);
        else keys.push(key);
      }
    }
    for (const [outcome, keys] of left)
      yield { ...factsOf(outcome), account: outcome.account, keys: Buffer.from(keys.join(''), 'hex') };
  }

  #newestOf({ event, folded }: FoundEvent): Iterable<OutcomeFacts> {
    const newest = new Map<string, OutcomeFacts>();
    const add = (outcome: OutcomeFacts): void => {
      const other = newest.get(outcome.destination);
      if (other === undefined || outcome.atMs >= other.atMs) newest.set(outcome.destination, outcome);
    };
    for (const outcome of folded) add(outcome);
    if (this.#byKey.size > 0)
      for (const key of outcomeKeysOf(event)) {
        const outcomes = this.#byKey.get(key);
        if (outcomes === undefined) continue;
        this.#folded.add(key);
        for (const outcome of outcomes) add(outcome);
        // The other keys cost more to derive. Outcomes that they may have too stay by themselves, where readers look.
        if (event.destinations.every((one) => newest.has(one))) break;
      }
    return newest.values();
  }
}

/** The outcomes, with another one unless there is a newer one of its destination. */
function withNewer(outcomes: readonly LoggedOutcome[], outcome: LoggedOutcome): readonly LoggedOutcome[] {
  const other = outcomes.find(({ destination }) => destination === outcome.destination);
  if (other === undefined) return [...outcomes, outcome];
  return outcome.atMs >= other.atMs ? outcomes.map((one) => (one === other ? outcome : one)) : outcomes;
}

const factsOf = ({ destination, result, attempt, atMs, webhookId, replay }: OutcomeFacts): OutcomeFacts => ({
  destination,
  result,
  attempt,
  atMs,
  webhookId,
  replay,
});
