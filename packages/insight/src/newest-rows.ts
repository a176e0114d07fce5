import type { Redis } from '@mailhook/platform/redis';
import { ROWS_PER_BLOCK, rowsIn, timeOfBlock } from '@mailhook/delivery';
import type { EngineKeys } from '@mailhook/delivery';
import { readBlocks, readBlocksShares } from '@mailhook/delivery/mailbox';

const READ_PAGE = 500;
const BLOCKS_PER_PAGE = Math.floor(READ_PAGE / ROWS_PER_BLOCK);
/** Assumed delay between the end of an attempt and its row in Redis. Rows may be out of order by this time. */
const DISORDER_MS = 10_000;

/** Where rows are read. `onRead` gets the number of rows of every page. */
export interface RowSource {
  readonly redis: Redis;
  readonly onRead: (rows: number) => void;
}

interface OrderedRow {
  readonly id: string;
  readonly time: string;
}

/** Times are Unix milliseconds. */
export interface WantedRows<Row> {
  /** Only rows whose text contains all of these are parsed. */
  readonly texts: readonly string[];
  readonly isWanted: (row: Row) => boolean;
  readonly limit?: number;
  /** No row before this time is wanted. */
  readonly fromMs?: number | undefined;
  /** No row after this time is wanted. */
  readonly beforeMs?: number;
  /** Rows of each list that are read before the search may stop. */
  readonly rowsMax?: number;
}

/** The order of rows, and the text of a cursor. */
export const orderOf = ({ time, id }: OrderedRow): string => `${time}~${id}`;
/** The cursor before which all rows of this time or later lie. */
export const orderBefore = (timeMs: number): string => `${new Date(timeMs).toISOString()}~`;
/** The time in a cursor. Infinity if it has none. */
export const timeOfOrder = (cursor: string): number => {
  const timeMs = Date.parse(cursor.split('~', 1)[0] ?? '');
  return Number.isNaN(timeMs) ? Infinity : timeMs;
};

/** The key of a list of rows, and whose blocks continue it. */
export interface RowList {
  readonly rows: string;
  readonly blocks?: { readonly keys: EngineKeys; readonly account: string };
}

/**
 * The rows of a list as texts, newest first, in pages that are not empty. Rows that are added or become a block
 * meanwhile may repeat others.
 *
 * @param beforeMs later rows may be left out.
 * @param size rows of the first page.
 */
export async function* pagesOf(
  source: RowSource,
  list: RowList,
  { beforeMs = Infinity, size = READ_PAGE } = {},
): AsyncGenerator<string[]> {
  // Rows before blocks, because rows become blocks.
  yield* pagesOfRows(source, list.rows, beforeMs, size);
  if (list.blocks !== undefined) yield* pagesOfBlocks(source, list.blocks, beforeMs);
}

async function* pagesOfRows({ redis, onRead }: RowSource, key: string, beforeMs: number, size: number) {
  const timeAt = async (index: number): Promise<number | undefined> => {
    const text = await redis.lindex(key, index);
    return text === null ? undefined : timeOfRow(text);
  };
  const start = beforeMs === Infinity ? 0 : await indexBefore(await redis.llen(key), timeAt, beforeMs, READ_PAGE);
  let page = size;
  for (let from = start; ; from += page, page = READ_PAGE) {
    const texts = await redis.lrange(key, from, from + page - 1);
    onRead(texts.length);
    if (texts.length > 0) yield texts;
    if (texts.length < page) return;
  }
}

async function* pagesOfBlocks(
  { redis, onRead }: RowSource,
  { keys, account }: NonNullable<RowList['blocks']>,
  beforeMs: number,
) {
  const { own } = await readBlocksShares(redis, keys, account);
  const last = own.following - 1;
  const timeAt = async (index: number): Promise<number | undefined> => {
    const [found] = await readBlocks(redis, keys, account, { newest: last - index, count: 1 });
    return found && timeOfBlock(found[1]);
  };
  const count = last - own.first + 1;
  const start = beforeMs === Infinity ? 0 : await indexBefore(count, timeAt, beforeMs, BLOCKS_PER_PAGE);
  for (let newest = last - start; newest >= own.first; newest -= BLOCKS_PER_PAGE) {
    const blocks = await readBlocks(redis, keys, account, { newest, count: BLOCKS_PER_PAGE });
    const texts = blocks.flatMap(([, block]) => rowsIn(block));
    onRead(texts.length);
    if (texts.length > 0) yield texts;
  }
}

/**
 * The newest wanted rows of several lists, newest first. With `unreadBeforeMs`, the search stopped: there may be
 * further rows before that time, and the result has all wanted rows at or after it. That time is before `beforeMs`, so
 * a search that continues from there comes to an end.
 */
export async function newestRows<Row extends OrderedRow>(
  source: RowSource,
  lists: readonly RowList[],
  { texts, isWanted, limit = Infinity, fromMs = 0, beforeMs = Infinity, rowsMax = Infinity }: WantedRows<Row>,
): Promise<{ readonly rows: Row[]; readonly unreadBeforeMs: number | undefined }> {
  const found = new Map<string, Row>();
  const stops = await Promise.all(
    lists.map(async (list) => {
      let [wanted, read] = [0, 0];
      // Every open settings page asks for the newest rows every few seconds, and they may be long.
      const pages = { beforeMs: beforeMs + DISORDER_MS, size: Math.min(READ_PAGE, 2 * limit) };
      for await (const page of pagesOf(source, list, pages)) {
        for (const text of page) {
          if (!texts.every((part) => text.includes(part))) continue;
          const row = JSON.parse(text) as Row;
          if (!isWanted(row) || found.has(row.id)) continue;
          found.set(row.id, row);
          wanted += 1;
        }
        read += page.length;
        const unreadBeforeMs = timeOfRow(page.at(-1) ?? '') + DISORDER_MS + 1;
        if (unreadBeforeMs <= fromMs) return undefined;
        if (wanted >= limit && unreadBeforeMs <= oldestOf(found.values(), limit)) return undefined;
        if (read >= rowsMax && unreadBeforeMs < beforeMs) return unreadBeforeMs;
      }
      return undefined;
    }),
  );
  const unread = stops.filter((stop) => stop !== undefined);
  return {
    rows: inOrder(found.values()).slice(0, limit),
    unreadBeforeMs: unread.length === 0 ? undefined : Math.max(...unread),
  };
}

/**
 * An index of the list before which all elements are later than this time. It stays correct while elements are added,
 * because they only move to higher indexes.
 *
 * @param timeAt the time of the element at an index.
 * @param near how near it must be.
 */
async function indexBefore(
  length: number,
  timeAt: (index: number) => Promise<number | undefined>,
  timeMs: number,
  near: number,
): Promise<number> {
  let [low, high] = [0, length];
  while (high - low > near) {
    const middle = Math.floor((low + high) / 2);
    const atMs = await timeAt(middle);
    // An element that is later by more than the disorder has only later ones before it.
    if (atMs !== undefined && atMs > timeMs) low = middle;
    else high = middle;
  }
  return low;
}

const timeOfRow = (text: string): number => Date.parse((JSON.parse(text) as OrderedRow).time);

const inOrder = <Row extends OrderedRow>(rows: Iterable<Row>): Row[] =>
  [...rows].sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));

const oldestOf = (rows: Iterable<OrderedRow>, limit: number): number =>
  Date.parse(inOrder(rows)[limit - 1]?.time ?? '9999-12-31');
