import { bloomFilter, distinct, EVENT_KEY_BITS, OUTCOME_KEY_BITS } from './bloom.ts';
import { encodeBlock, MODULES } from './block.ts';
import type { BlockContent } from './block.ts';
import { ByteWriter } from './bytes.ts';
import type { BlockRef } from './catalog.ts';
import { compress } from './compression.ts';
import { compareEntries } from './entry.ts';
import type { LogContent, LoggedEvent, LoggedGap, LoggedOutcome } from './entry.ts';
import { keyFingerprints } from './event-keys.ts';
import { fieldsOf, typeLabel } from './event-fields.ts';
import { KEY_FIELDS } from './fingerprint.ts';
import type { Fingerprint, LogHash } from './fingerprint.ts';
import { sealBlock } from './sealed-block.ts';
import type { BlockKey, BlockKeys } from './sealed-block.ts';
import { IndexWriter, MAGIC } from './segment-index.ts';

/** A reader gets this many events at least, so a block is neither large nor often read for nothing. */
export const BLOCK_EVENTS_MAX = 1024;
export const BLOCK_CHARS_MAX = 256 * 1024;
const BLOCK_KEYS_MAX = 4096;
/** Outcomes of up to this many events share a block with events: small accounts have small blocks anyway. */
const SHARED_KEYS_MAX = 64;

/** Writes one segment. Accounts come in the order of their keyed hashes, and the blocks of one account together. */
export class SegmentWriter {
  readonly #hash: LogHash;
  readonly #level: number;
  readonly #index = new IndexWriter();

  constructor(hash: LogHash, level: number) {
    this.#hash = hash;
    this.#level = level;
  }

  /** The first bytes of the object. */
  start(): Buffer {
    return MAGIC;
  }

  get bytes(): number {
    return this.#index.offset;
  }

  /** The bytes of a block. Without a key, they are not sealed. */
  block(content: BlockContent, key: BlockKey | undefined): Buffer {
    const { account, events, outcomes, gaps } = content;
    const keys: Record<(typeof KEY_FIELDS)[number], Fingerprint[]> = { id: [], messageId: [], email: [] };
    const types = { campaign: new Set<string>(), transactional_email: new Set<string>() };
    for (const event of events) {
      const fields = fieldsOf(event);
      types[event.module].add(fields.type);
      for (const field of KEY_FIELDS) {
        const value = fields[field];
        if (value !== '') keys[field].push(this.#hash.ofValue(field, value));
      }
    }
    const labels = MODULES.flatMap((module) => [...types[module]].map((type) => typeLabel({ module, type })));
    const outcomeKeys = outcomes.flatMap((one) => keyFingerprints(one.keys));
    const filter = new ByteWriter();
    const filters = [
      ...KEY_FIELDS.map((field) => bloomFilter(distinct(keys[field]), EVENT_KEY_BITS)),
      bloomFilter(outcomeKeys, OUTCOME_KEY_BITS),
    ];
    for (const one of filters) filter.number(one.length);
    for (const one of filters) filter.bytes(one);
    const compressed = compress(encodeBlock(content), this.#level);
    const stored = key === undefined ? compressed : sealBlock(compressed, account, key);
    this.#index.add(
      {
        account: this.#hash.ofAccount(account),
        bytes: stored.length,
        events: events.length,
        outcomeKeys: outcomeKeys.length,
        firstMs: events[0]?.acceptedAtMs ?? 0,
        lastMs: events.at(-1)?.acceptedAtMs ?? 0,
        types: this.#index.maskOf(labels),
        hasGaps: gaps.length > 0,
      },
      filter.finish(),
    );
    return stored;
  }

  /** Takes over a block of another segment. */
  copy({ segment, row }: BlockRef, stored: Buffer, filter: Buffer): Buffer {
    this.#index.add({ ...row, types: this.#index.maskOf(segment.index.typesOf(row)) }, filter);
    return stored;
  }

  /** @param replaces names of the objects whose content is in this one. */
  finish(replaces: readonly string[]): Buffer[] {
    return this.#index.finish(replaces);
  }
}

/**
 * The chunks of a segment with this content, which may be of many accounts and in any order. With keys, that of deleted
 * accounts is left out, and a gap stands for that of an account whose key cannot be read.
 */
export async function* segmentChunks(
  hash: LogHash,
  content: LogContent,
  level: number,
  keys: BlockKeys | undefined,
): AsyncGenerator<Buffer> {
  const writer = new SegmentWriter(hash, level);
  yield writer.start();
  for (const one of byAccount(hash, content)) {
    const key = await keys?.current(one.account);
    if (key === 'unreadable') yield writer.block(lostContent(one), undefined);
    else if (keys === undefined || key !== undefined) for (const block of blocksOf(one)) yield writer.block(block, key);
  }
  yield* writer.finish([]);
}

function lostContent({ account, events, gaps }: AccountContent): BlockContent {
  const [fromMs, toMs] = [events[0]?.acceptedAtMs ?? 0, events.at(-1)?.acceptedAtMs ?? 0];
  const lost: LoggedGap[] =
    events.length === 0 ? [] : [{ account, fromMs, toMs, events: events.length, reason: 'store' }];
  return { account, events: [], folded: [], outcomes: [], gaps: [...gaps, ...lost] };
}

interface AccountContent extends LogContent {
  readonly account: string;
}

/** The content per account, in the order of segments. */
function byAccount(hash: LogHash, content: LogContent): AccountContent[] {
  const accounts = new Map<
    string,
    { account: string; events: LoggedEvent[]; outcomes: LoggedOutcome[]; gaps: LoggedGap[] }
  >();
  const of = (account: string) => {
    let known = accounts.get(account);
    if (known === undefined) {
      known = { account, events: [], outcomes: [], gaps: [] };
      accounts.set(account, known);
    }
    return known;
  };
  for (const event of content.events) of(event.account).events.push(event);
  for (const outcome of content.outcomes) of(outcome.account).outcomes.push(outcome);
  for (const gap of content.gaps) of(gap.account).gaps.push(gap);
  for (const one of accounts.values()) one.events = inOrder(one.events);
  return [...accounts.values()]
    .map((one) => ({ one, key: hash.ofAccount(one.account) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ one }) => one);
}

/** The events in the order of the log, each once. */
const inOrder = (events: LoggedEvent[]): LoggedEvent[] => {
  // Mostly the buffer has them in order.
  if (events.every((event, i) => i === 0 || compareEntries(event, events[i - 1] as LoggedEvent) > 0)) return events;
  const sorted = events.toSorted(compareEntries);
  return sorted.filter((event, i) => i === 0 || compareEntries(event, sorted[i - 1] as LoggedEvent) !== 0);
};

/** Cuts the content of one account into blocks. */
export function* blocksOf({ account, events, outcomes, gaps }: AccountContent): Generator<BlockContent> {
  const empty: BlockContent = { account, events: [], folded: [], outcomes: [], gaps: [] };
  const cutEvents = [...cut(events, ({ fields }) => fields.length, BLOCK_CHARS_MAX, BLOCK_EVENTS_MAX)];
  const keys = outcomes.reduce((sum, one) => sum + one.keys.length / 8, 0);
  const isShared = keys <= SHARED_KEYS_MAX;
  for (const [i, some] of cutEvents.entries()) {
    const isLast = i === cutEvents.length - 1;
    yield { ...empty, events: some, outcomes: isShared && isLast ? outcomes : [], gaps: i === 0 ? gaps : [] };
  }
  if (isShared && cutEvents.length > 0) return;
  const cutOutcomes = [...cut(outcomes, (one) => one.keys.length / 8, BLOCK_KEYS_MAX, BLOCK_KEYS_MAX)];
  for (const some of cutOutcomes) yield { ...empty, outcomes: some };
  if (cutEvents.length === 0 && gaps.length > 0) yield { ...empty, gaps };
}

/** Lists of at most `countMax` elements, each of at most `sizeMax` together, or of one element. */
function* cut<One>(
  list: readonly One[],
  sizeOf: (one: One) => number,
  sizeMax: number,
  countMax: number,
): Generator<One[]> {
  let some: One[] = [];
  let size = 0;
  for (const one of list) {
    const more = sizeOf(one);
    if (some.length > 0 && (size + more > sizeMax || some.length >= countMax)) {
      yield some;
      some = [];
      size = 0;
    }
    some.push(one);
    size += more;
  }
  if (some.length > 0) yield some;
}
