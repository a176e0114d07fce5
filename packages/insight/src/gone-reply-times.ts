import type { DeliveryAttempt } from '@mailhook/core';
import { statusRule } from '@mailhook/core';
import { DISORDER_MS, pagesOf } from './newest-rows.ts';
import type { RowSource } from './newest-rows.ts';

/**
 * Finds the destinations with a 410 as their newest attempt, and its time (ISO 8601). Makes one pass over the failed
 * attempts for all of them, and reads delivered ones only back to the oldest 410 found. `lists` has the keys of
 * the account's two lists.
 */
export async function readGoneReplyTimes(
  source: RowSource,
  lists: { readonly delivered: string; readonly others: string },
  destinations: readonly string[],
): Promise<Map<string, string>> {
  const wanted = new Set(destinations);
  const newest = await newestOf(source, lists.others, wanted, () => false);
  const gone = new Map<string, string>();
  for (const [id, { httpStatus, time }] of newest)
    if (statusRule(httpStatus).endsDeliveries === true) gone.set(id, time);
  if (gone.size === 0) return gone;
  const oldest = [...gone.values()].reduce((a, b) => (a < b ? a : b));
  const delivered = await newestOf(source, lists.delivered, new Set(gone.keys()), (row) => isPast(row, oldest));
  for (const [id, { time }] of delivered) if (time > (gone.get(id) ?? '')) gone.delete(id);
  return gone;
}

type Row = Pick<DeliveryAttempt, 'kind' | 'time' | 'httpStatus' | 'destination'>;

const isPast = ({ time }: Row, limit: string): boolean => Date.parse(time) + DISORDER_MS < Date.parse(limit);

/**
 * The newest row of each destination in one list. Reads until all are found or `isEnough` accepts the last row of a
 * page.
 */
async function newestOf(
  source: RowSource,
  key: string,
  wanted: ReadonlySet<string>,
  isEnough: (last: Row) => boolean,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  if (wanted.size === 0) return found;
  for await (const texts of pagesOf(source, key)) {
    for (const text of texts) {
      // Parse only rows of these destinations. A quote in an address is escaped, so the pattern matches only the real
      // field.
      const id = /"destination":"([^"\\]*)"/.exec(text)?.[1];
      if (id === undefined || !wanted.has(id)) continue;
      const row = JSON.parse(text) as Row;
      const known = found.get(id);
      if (row.kind !== 'test' && (known === undefined || known.time < row.time)) found.set(id, row);
    }
    const end = texts.at(-1);
    if (end === undefined) return found;
    const last = JSON.parse(end) as Row;
    const oldest = [...found.values()].reduce((time, row) => (row.time < time ? row.time : time), last.time);
    if (isEnough(last) || (found.size === wanted.size && isPast(last, oldest))) return found;
  }
  return found;
}
