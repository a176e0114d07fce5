import { ByteReader, ByteWriter, DamagedLogError } from './bytes.ts';
import { CLOSING_LEVEL, compress, decompress } from './compression.ts';

/*
 * A segment is one object:
 *
 *   magic | blocks | filters | tail, compressed: types, base time, replaced objects, rows | length of the tail, magic
 *
 * A block is of one account. Its row has what a reader needs to decide whether to read it. Rows are sorted by the keyed
 * hash of the account, then as they were written, so the blocks and filters of one account stand together.
 */
export const MAGIC = Buffer.from('MHLOG1\n\0');
const END_BYTES = 4 + MAGIC.length;
/** The tail of most segments, so that one read gets it. */
const FIRST_READ_BYTES = 64 * 1024;
const ROW_BYTES = 41;
/** Bits of a row's types. The last one is for all types beyond. */
const TYPE_BITS = 31;

export interface BlockRow {
  readonly account: bigint;
  readonly offset: number;
  readonly bytes: number;
  readonly events: number;
  /** Keys of outcomes that are not folded. */
  readonly outcomeKeys: number;
  /** Of its events; both 0 without events. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** A bit per type (`typeLabel`), see `SegmentIndex.maskOf`. */
  readonly types: number;
  readonly hasGaps: boolean;
  readonly filterOffset: number;
  readonly filterBytes: number;
}

/** Collects the rows of a segment that is being written. */
export class IndexWriter {
  readonly #rows: BlockRow[] = [];
  /** In one buffer, because each small one would keep alive the 8 KB that Node has cut it from. */
  readonly #filters = new ByteWriter();
  readonly #types = new Map<string, number>();
  #blockBytes = MAGIC.length;

  get offset(): number {
    return this.#blockBytes;
  }

  /** The bits of these types, which become known to the segment. */
  maskOf(types: Iterable<string>): number {
    let mask = 0;
    for (const type of types) {
      const bit = this.#types.get(type) ?? this.#types.size;
      this.#types.set(type, bit);
      mask |= bitOf(bit);
    }
    return mask;
  }

  add(row: Omit<BlockRow, 'offset' | 'filterOffset' | 'filterBytes'>, filter: Buffer): void {
    const filterOffset = this.#filters.length;
    this.#rows.push({ ...row, offset: this.#blockBytes, filterOffset, filterBytes: filter.length });
    this.#blockBytes += row.bytes;
    this.#filters.bytes(filter);
  }

  /** What stands behind the blocks. */
  finish(replaces: readonly string[]): Buffer[] {
    const rows = this.#rows;
    const baseMs = rows.reduce(
      (least, { events, firstMs }) => (events > 0 ? Math.min(least, firstMs) : least),
      Infinity,
    );
    const head = new ByteWriter();
    head.number(this.#types.size);
    for (const type of this.#types.keys()) head.text(type);
    head.number(replaces.length);
    for (const name of replaces) head.text(name);
    head.number(baseMs === Infinity ? 0 : baseMs);
    head.number(this.#blockBytes);
    head.number(this.#filters.length);
    head.number(rows.length);
    const packed = Buffer.alloc(rows.length * ROW_BYTES);
    for (const [i, row] of rows.entries()) packRow(packed, i * ROW_BYTES, row, baseMs);
    // A row that is not compressed takes 7 bytes per event of an account with one event an hour.
    const tail = compress(Buffer.concat([head.finish(), packed]), CLOSING_LEVEL);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(tail.length);
    return [this.#filters.finish(), tail, length, MAGIC];
  }
}

const bitOf = (type: number): number => 1 << Math.min(type, TYPE_BITS - 1);

function packRow(packed: Buffer, at: number, row: BlockRow, baseMs: number): void {
  packed.writeBigUInt64BE(row.account, at);
  packed.writeUInt32LE(row.offset, at + 8);
  packed.writeUIntLE(row.bytes, at + 12, 3);
  packed.writeUInt16LE(row.events, at + 15);
  packed.writeUInt16LE(row.outcomeKeys, at + 17);
  packed.writeUIntLE(row.events === 0 ? 0 : row.firstMs - baseMs, at + 19, 5);
  packed.writeUIntLE(row.events === 0 ? 0 : row.lastMs - row.firstMs, at + 24, 5);
  packed.writeUInt32LE(row.types, at + 29);
  packed.writeUInt8(row.hasGaps ? 1 : 0, at + 33);
  packed.writeUInt32LE(row.filterOffset, at + 34);
  packed.writeUIntLE(row.filterBytes, at + 38, 3);
}

/** The rows of a segment, as they lie in its tail. */
export class SegmentIndex {
  readonly replaces: readonly string[];
  readonly count: number;
  /** Where the filters start. */
  readonly filtersAt: number;
  /** For a cache. */
  readonly bytes: number;
  /** The time of its oldest event, 0 without events. */
  readonly oldestMs: number;
  readonly #types: readonly string[];
  readonly #rows: Buffer;

  /** @param tail the bytes between the filters and the length. @throws DamagedLogError */
  constructor(tail: Buffer) {
    const body = decompress(tail);
    const reader = new ByteReader(body);
    this.#types = Array.from({ length: reader.count() }, () => reader.text());
    this.replaces = Array.from({ length: reader.count() }, () => reader.text());
    this.oldestMs = reader.number();
    this.filtersAt = reader.number();
    reader.number();
    this.count = reader.number();
    this.#rows = reader.bytes(this.count * ROW_BYTES);
    if (!reader.isAtEnd) throw new DamagedLogError('the index goes on after its end');
    this.bytes = body.length + 200 + 100 * this.replaces.length;
  }

  /** The bits of the types that are wanted. 0 if no row has events of one. */
  maskOf(isWanted: (type: string) => boolean): number {
    return this.#types.reduce((mask, type, bit) => (isWanted(type) ? mask | bitOf(bit) : mask), 0);
  }

  /** The types of a row's events. Those beyond the bits come all together. */
  typesOf({ types }: BlockRow): string[] {
    return this.#types.filter((_type, bit) => (types & bitOf(bit)) !== 0);
  }

  /** The rows of an account, as they were written. */
  rowsOf(account: bigint): BlockRow[] {
    const [high, low] = [Number(account >> 32n), Number(account & 0xffffffffn)];
    let from = 0;
    let to = this.count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const highThere = this.#rows.readUInt32BE(middle * ROW_BYTES);
      const isBefore = highThere === high ? this.#rows.readUInt32BE(middle * ROW_BYTES + 4) < low : highThere < high;
      if (isBefore) from = middle + 1;
      else to = middle;
    }
    const rows: BlockRow[] = [];
    for (; from < this.count; from += 1) {
      const row = this.row(from);
      if (row.account !== account) break;
      rows.push(row);
    }
    return rows;
  }

  row(place: number): BlockRow {
    const at = place * ROW_BYTES;
    const rows = this.#rows;
    const firstMs = this.oldestMs + rows.readUIntLE(at + 19, 5);
    const events = rows.readUInt16LE(at + 15);
    return {
      account: rows.readBigUInt64BE(at),
      offset: rows.readUInt32LE(at + 8),
      bytes: rows.readUIntLE(at + 12, 3),
      events,
      outcomeKeys: rows.readUInt16LE(at + 17),
      firstMs: events === 0 ? 0 : firstMs,
      lastMs: events === 0 ? 0 : firstMs + rows.readUIntLE(at + 24, 5),
      types: rows.readUInt32LE(at + 29),
      hasGaps: rows.readUInt8(at + 33) === 1,
      filterOffset: rows.readUInt32LE(at + 34),
      filterBytes: rows.readUIntLE(at + 38, 3),
    };
  }
}

/** Reads the index of a segment, with one range read, or two if it is long. @throws DamagedLogError */
export async function readSegmentIndex(
  bytes: number,
  read: (start: number, end: number) => Promise<Buffer>,
): Promise<SegmentIndex> {
  if (bytes < MAGIC.length + END_BYTES) throw new DamagedLogError('it is too short');
  const start = Math.max(0, bytes - FIRST_READ_BYTES);
  const last = await read(start, bytes);
  if (!last.subarray(-MAGIC.length).equals(MAGIC)) throw new DamagedLogError('its end is missing');
  const tailBytes = last.readUInt32LE(last.length - END_BYTES);
  const tailStart = bytes - END_BYTES - tailBytes;
  if (tailStart < MAGIC.length) throw new DamagedLogError('its index is longer than itself');
  if (tailStart >= start) return new SegmentIndex(last.subarray(tailStart - start, -END_BYTES));
  return new SegmentIndex(Buffer.concat([await read(tailStart, start), last.subarray(0, -END_BYTES)]));
}
