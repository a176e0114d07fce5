import type { Redis } from '@mailhook/platform/redis';

const READ_PAGE = 500;
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

/**
 * The rows of a list as texts, newest first, from an index. Rows that are added meanwhile may repeat others. `size`:
 * rows of the first page.
 */
export async function* pagesOf(
  { redis, onRead }: RowSource,
  key: string,
  { start = 0, size = READ_PAGE } = {},
): AsyncGenerator<string[]> {
  let page = size;
  for (let from = start; ; from += page, page = READ_PAGE) {
    const texts = await redis.lrange(key, from, from + page - 1);
    onRead(texts.length);
    yield texts;
    if (texts.length < page) return;
  }
}

/**
 * The newest wanted rows of several lists, newest first. With `unreadBeforeMs`, the search stopped: there may be
 * further rows before that time, and the result has all wanted rows at or after it. That time is before `beforeMs`, so
 * a search that continues from there comes to an end.
 */
export async function newestRows<Row extends OrderedRow>(
  source: RowSource,
  lists: readonly string[],
  { texts, isWanted, limit = Infinity, fromMs = 0, beforeMs = Infinity, rowsMax = Infinity }: WantedRows<Row>,
): Promise<{ readonly rows: Row[]; readonly unreadBeforeMs: number | undefined }> {
  const found = new Map<string, Row>();
  const stops = await Promise.all(
    lists.map(async (key) => {
      let [wanted, read] = [0, 0];
      const start = await indexBefore(source.redis, key, beforeMs + DISORDER_MS);
      // Every open settings page asks for the newest rows every few seconds, and they may be long.
      for await (const page of pagesOf(source, key, { start, size: Math.min(READ_PAGE, 2 * limit) })) {
        for (const text of page) {
          if (!texts.every((part) => text.includes(part))) continue;
          const row = JSON.parse(text) as Row;
          if (!isWanted(row) || found.has(row.id)) continue;
          found.set(row.id, row);
          wanted += 1;
        }
        read += page.length;
        const last = page.at(-1);
        if (last === undefined) return undefined;
        const unreadBeforeMs = timeOfRow(last) + DISORDER_MS + 1;
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
 * An index of the list before which all rows are later than this time. It stays correct while rows are added, because
 * rows only move to higher indexes.
 */
async function indexBefore(redis: Redis, key: string, timeMs: number): Promise<number> {
  if (timeMs === Infinity) return 0;
  let [low, high] = [0, await redis.llen(key)];
  while (high - low > READ_PAGE) {
    const middle = Math.floor((low + high) / 2);
    const text = await redis.lindex(key, middle);
    // A row that is later by more than the disorder has only later rows before it.
    if (text !== null && timeOfRow(text) > timeMs) low = middle;
    else high = middle;
  }
  return low;
}

const timeOfRow = (text: string): number => Date.parse((JSON.parse(text) as OrderedRow).time);

const inOrder = <Row extends OrderedRow>(rows: Iterable<Row>): Row[] =>
  [...rows].sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));

const oldestOf = (rows: Iterable<OrderedRow>, limit: number): number =>
  Date.parse(inOrder(rows)[limit - 1]?.time ?? '9999-12-31');
