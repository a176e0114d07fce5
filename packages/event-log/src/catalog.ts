import { Semaphore } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { decodeBlock } from './block.ts';
import type { BlockContent } from './block.ts';
import { EVENT_KEY_BITS, mayHold, OUTCOME_KEY_BITS } from './bloom.ts';
import { ByteReader, DamagedLogError } from './bytes.ts';
import { decompress } from './compression.ts';
import { KEY_FIELDS } from './fingerprint.ts';
import type { Fingerprint, KeyField, LogHash } from './fingerprint.ts';
import { readAhead } from './read-ahead.ts';
import { openBlock, sealOf } from './sealed-block.ts';
import type { BlockKeys } from './sealed-block.ts';
import { readSegmentIndex } from './segment-index.ts';
import type { BlockRow, SegmentIndex } from './segment-index.ts';
import { parseSegmentName, SEGMENTS } from './segment-name.ts';
import type { SegmentName } from './segment-name.ts';
import { MissingObjectError } from './store.ts';
import type { LogStore, StoredObject } from './store.ts';

/** A segment whose content no other one replaces. */
export interface Segment extends SegmentName {
  readonly object: StoredObject;
  readonly index: SegmentIndex;
}

/** A segment whose index cannot be read. */
export type DamagedSegment = Omit<Segment, 'index'>;

interface Segments {
  /** All objects of segments. */
  readonly listed: readonly DamagedSegment[];
  /** Those whose index was read. */
  readonly read: readonly Segment[];
  /** Those that no other replaces, in the order of their closing. */
  readonly live: readonly Segment[];
  readonly damaged: readonly DamagedSegment[];
}

/** Is called for a block that cannot be read, whose content is left out then. */
export type OnDamagedBlock = (block: BlockRef, error: DamagedLogError) => void;

/** A block of one account. */
export interface BlockRef {
  readonly segment: Segment;
  readonly row: BlockRow;
}

/** Range reads at the same time. */
const READS_AT_ONCE = 16;
/** Blocks beside each other are read together up to this size. */
const JOINED_BYTES_MAX = 2 * 1024 * 1024;
/** Filters that a merge keeps: it needs each of them once. */
const MERGE_CACHE_BYTES = 1024 * 1024;
/** A list may be older than the deletion of a replaced object. The next one shows what replaced it. */
const LISTS_MAX = 5;

export interface CatalogDeps {
  readonly store: LogStore;
  readonly hash: LogHash;
  /** Is called for each damaged part that is left out. */
  readonly onDamaged: (error: DamagedLogError) => void;
  /** Undefined: a sealed block cannot be read. */
  readonly keys: BlockKeys | undefined;
}

/** Reads segments, and keeps their indexes in memory up to a limit. */
export class Catalog {
  readonly #store: LogStore;
  readonly #hash: LogHash;
  readonly #cache: LRUCache<string, SegmentIndex | Buffer>;
  readonly #onDamaged: (error: DamagedLogError) => void;
  readonly #keys: BlockKeys | undefined;
  readonly #limit = new Semaphore(READS_AT_ONCE);

  constructor({ store, hash, onDamaged, keys }: CatalogDeps, cacheBytes: number) {
    this.#store = store;
    this.#hash = hash;
    this.#onDamaged = onDamaged;
    this.#keys = keys;
    this.#cache = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: (one, name) => name.length + (Buffer.isBuffer(one) ? one.length + 100 : one.bytes),
    });
  }

  /** Reads these segments from their start to their end, with few large reads. */
  readingAhead(segments: readonly Segment[]): Catalog {
    const sizes = new Map(segments.map(({ object }) => [object.name, object.bytes]));
    const [hash, onDamaged, keys] = [this.#hash, this.#onDamaged, this.#keys];
    return new Catalog({ store: readAhead(this.#store, sizes), hash, onDamaged, keys }, MERGE_CACHE_BYTES);
  }

  /** Bytes of the indexes in memory. */
  get cachedBytes(): number {
    return this.#cache.calculatedSize;
  }

  /**
   * Reads the indexes of merged segments first, because most closed ones are replaced. The indexes of those are not
   * read, unless `readsReplaced`.
   */
  async segments(shard?: string, readsReplaced = false): Promise<Segments> {
    for (let lists = 1; ; lists += 1) {
      const objects = await this.#store.list(shard === undefined ? SEGMENTS : `${SEGMENTS}${shard}/`);
      const listed = objects
        .flatMap((object): DamagedSegment[] => {
          const name = parseSegmentName(object.name);
          return name === undefined ? [] : [{ ...name, object }];
        })
        .sort(byClosing);
      try {
        const merged = await this.#indexed(listed.filter(({ generation }) => generation > 0));
        const replaced = new Set(merged.flatMap((segment) => ('index' in segment ? segment.index.replaces : [])));
        const isLive = ({ object }: DamagedSegment): boolean => !replaced.has(object.name);
        const closed = await this.#indexed(
          listed.filter((segment) => segment.generation === 0 && (readsReplaced || isLive(segment))),
        );
        const segments: (Segment | DamagedSegment)[] = [...merged, ...closed].sort(byClosing);
        const read = segments.filter((segment) => 'index' in segment);
        const damaged = segments.filter((segment) => !('index' in segment) && isLive(segment));
        return { listed, read, live: read.filter(isLive), damaged };
      } catch (error) {
        if (!(error instanceof MissingObjectError) || lists === LISTS_MAX) throw error;
      }
    }
  }

  #indexed(segments: readonly DamagedSegment[]): Promise<(Segment | DamagedSegment)[]> {
    return Promise.all(segments.map((segment) => this.#segmentOf(segment)));
  }

  /** The segment with its index, or without it if that is damaged. */
  async #segmentOf(segment: DamagedSegment): Promise<Segment | DamagedSegment> {
    try {
      return { ...segment, index: await this.#indexOf(segment.object) };
    } catch (error) {
      if (!(error instanceof DamagedLogError)) throw error;
      this.#onDamaged(error);
      return segment;
    }
  }

  /** The blocks of an account in these segments. */
  blocksOf(account: string, segments: readonly Segment[]): BlockRef[] {
    const key = this.#hash.ofAccount(account);
    return segments.flatMap((segment) => segment.index.rowsOf(key).map((row) => ({ segment, row })));
  }

  /** The name of the account that these blocks are of. */
  async accountOf([block]: readonly [BlockRef, ...BlockRef[]]): Promise<string> {
    const { segment, row } = block;
    const stored = await this.#range(segment.object.name, row.offset, row.offset + row.bytes);
    return naming(segment.object.name, () => sealOf(stored)?.account ?? decodeBlock(decompress(stored)).account);
  }

  /** Those of the blocks (of one account) whose filter of a field may hold one of the keys. */
  async holding(blocks: readonly BlockRef[], field: KeyField | 'outcome', keys: readonly Fingerprint[]) {
    const bits = field === 'outcome' ? OUTCOME_KEY_BITS : EVENT_KEY_BITS;
    const held = await Promise.all(
      bySegment(blocks).map(async (some) => {
        const filters = await this.#filtersOf(some);
        return some.filter((block) => {
          const filter = filterOf(filters(block), field);
          return filter === undefined || keys.some((key) => mayHold(filter, key, bits));
        });
      }),
    );
    return held.flat();
  }

  /** Blocks of one account as they are stored, with their filters. */
  async *stored(blocks: readonly BlockRef[]): AsyncGenerator<{ block: BlockRef; bytes: Buffer; filter: Buffer }> {
    for (const some of joined(blocks)) {
      const [filters, bytes] = [await this.#filtersOf(some), await this.#bytesOf(some)];
      for (const [i, block] of some.entries()) yield { block, bytes: bytes[i] as Buffer, filter: filters(block) };
    }
  }

  /**
   * The content of blocks of one account, in their order. Never of another account's.
   *
   * @throws DamagedLogError without `onDamaged`.
   */
  async read(account: string, blocks: readonly BlockRef[], onDamaged?: OnDamagedBlock): Promise<BlockContent[]> {
    const read = await Promise.all(
      joined(blocks).map(async (some) => {
        const bytes = await this.#bytesOf(some);
        const opened = some.map(async (block, i) => {
          try {
            return await this.#decoded(account, block, bytes[i] as Buffer);
          } catch (error) {
            if (!(error instanceof DamagedLogError) || onDamaged === undefined) throw error;
            this.#onDamaged(error);
            onDamaged(block, error);
            return emptyOf(account);
          }
        });
        return Promise.all(opened);
      }),
    );
    return read.flat();
  }

  #decoded(account: string, { segment, row }: BlockRef, stored: Buffer): Promise<BlockContent> {
    return naming(segment.object.name, async () => {
      const compressed = await this.#opened(account, stored);
      // Its key is gone, and so is what it said.
      if (compressed === undefined) return emptyOf(account);
      const content = decodeBlock(decompress(compressed));
      // Two accounts may have one keyed hash, though this is as good as impossible.
      if (content.account !== account) return emptyOf(account);
      if (content.events.length !== row.events) throw new DamagedLogError('a block has other events than its row says');
      return content;
    });
  }

  /** The compressed block. Undefined if its key is gone, or if it is of another account. */
  async #opened(account: string, stored: Buffer): Promise<Buffer | undefined> {
    const seal = sealOf(stored);
    if (seal === undefined) return stored;
    if (seal.account !== account) return undefined;
    if (this.#keys === undefined) throw new DamagedLogError('a block is sealed, and there is no SECRETS_KEY');
    const key = await this.#keys.ofMonth(account, seal.month);
    if (key === 'unreadable') throw new DamagedLogError('SECRETS_KEY does not open the key of a block');
    return key === undefined ? undefined : openBlock(stored, key);
  }

  /** The bytes of blocks that stand beside each other. */
  async #bytesOf(blocks: Some): Promise<Buffer[]> {
    const [{ segment, row: first }] = blocks;
    const { row: last } = blocks.at(-1) as BlockRef;
    const bytes = await this.#range(segment.object.name, first.offset, last.offset + last.bytes);
    return blocks.map(({ row }) => bytes.subarray(row.offset - first.offset, row.offset - first.offset + row.bytes));
  }

  #range(name: string, start: number, end: number): Promise<Buffer> {
    return this.#limit.runExclusive(() => this.#store.get(name, { start, end }));
  }

  async #indexOf({ name, bytes }: StoredObject): Promise<SegmentIndex> {
    const known = this.#cache.get(name);
    if (known !== undefined && !Buffer.isBuffer(known)) return known;
    const index = await naming(name, () => readSegmentIndex(bytes, (start, end) => this.#range(name, start, end)));
    this.#cache.set(name, index);
    return index;
  }

  /** The filters of blocks of one account in one segment, which stand together. */
  async #filtersOf(blocks: Some): Promise<(block: BlockRef) => Buffer> {
    const { segment, row } = blocks[0];
    const rows = segment.index.rowsOf(row.account);
    const [first, last] = [rows[0] as BlockRow, rows.at(-1) as BlockRow];
    const name = `${segment.object.name} ${row.account}`;
    let bytes = this.#cache.get(name);
    if (bytes === undefined || !Buffer.isBuffer(bytes)) {
      const { filtersAt } = segment.index;
      const end = filtersAt + last.filterOffset + last.filterBytes;
      // A copy, because a part would keep alive the whole buffer that it is a part of.
      bytes = Buffer.from(await this.#range(segment.object.name, filtersAt + first.filterOffset, end));
      this.#cache.set(name, bytes);
    }
    const all = bytes;
    return ({ row: { filterOffset, filterBytes } }) =>
      all.subarray(filterOffset - first.filterOffset, filterOffset - first.filterOffset + filterBytes);
  }
}

const byClosing = (a: DamagedSegment, b: DamagedSegment): number =>
  a.closedFromMs - b.closedFromMs || a.madeAtMs - b.madeAtMs || (a.object.name < b.object.name ? -1 : 1);

const emptyOf = (account: string): BlockContent => ({ account, events: [], folded: [], outcomes: [], gaps: [] });

/** Says in an error which object is damaged. */
function naming<Result>(name: string, run: () => Result): Result {
  const named = (error: unknown): unknown =>
    error instanceof DamagedLogError
      ? new DamagedLogError(`the segment ${name} of the event log is damaged: ${error.message}`, {
          object: name,
          cause: error,
        })
      : error;
  try {
    const result = run();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw named(error);
    }) as Result;
  } catch (error) {
    throw named(error);
  }
}

/** Undefined if it is damaged: the block may hold every key then. */
function filterOf(filters: Buffer, field: KeyField | 'outcome'): Buffer | undefined {
  try {
    const reader = new ByteReader(filters);
    const lengths = [...KEY_FIELDS, 'outcome'].map(() => reader.number());
    const place = field === 'outcome' ? KEY_FIELDS.length : KEY_FIELDS.indexOf(field);
    for (const length of lengths.slice(0, place)) reader.bytes(length);
    return reader.bytes(lengths[place] as number);
  } catch {
    return undefined;
  }
}

type Some = [BlockRef, ...BlockRef[]];

/** The blocks per segment. */
function bySegment(blocks: readonly BlockRef[]): Some[] {
  const segments = new Map<Segment, Some>();
  for (const block of blocks) {
    const known = segments.get(block.segment);
    if (known === undefined) segments.set(block.segment, [block]);
    else known.push(block);
  }
  return [...segments.values()];
}

/** Lists of blocks that stand beside each other. */
function joined(blocks: readonly BlockRef[]): Some[] {
  const lists: Some[] = [];
  for (const block of blocks) {
    const list = lists.at(-1);
    const last = list?.at(-1);
    const start = list?.[0].row.offset ?? 0;
    const isNext = last?.segment === block.segment && last.row.offset + last.row.bytes === block.row.offset;
    if (isNext && block.row.offset + block.row.bytes - start <= JOINED_BYTES_MAX) list?.push(block);
    else lists.push([block]);
  }
  return lists;
}
