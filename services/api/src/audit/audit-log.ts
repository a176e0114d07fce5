import type { AuditedAction, AuditEntry, AuditListQuery, AuditLog } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { notedChanges } from '../accounts/noted-changes.ts';

interface AuditLogDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  readonly keptOfCustomer?: number;
}

const KEPT_MS = 90 * 86_400_000;
/** About 100 MB. It only matters if programs change settings all the time. */
const KEPT_MAX = 200_000;
/**
 * Entries about changes by one customer. Older ones make room for newer ones, so that a customer cannot push out the
 * entries of others.
 */
const KEPT_OF_CUSTOMER = 5000;
/** Entries that one page looks at, if it has a filter. */
const FILTERED_AT_ONCE = 5000;
/** The same for the entries of one account, which are read one by one. */
const OF_ACCOUNT_AT_ONCE = 500;
const OBJECT_CHARS = 300;

type Row = [id: string, fields: string[]];

/** A stream in Redis, shared by all replicas, with two lists of ids per account. Entries are kept for 90 days. */
export function createAuditLog({ redis, prefix, logger, keptOfCustomer = KEPT_OF_CUSTOMER }: AuditLogDeps): AuditLog {
  const key = `${prefix}:audit`;
  const idsOf = (actor: AuditedAction['actor'], account: string): string =>
    `${key}-${actor === 'customer' ? 'of' : 'on'}:${account}`;
  /**
   * Notes an entry of an account. Removes the customer's oldest entries beyond the maximum. Those of operators leave
   * the list alone, so that no customer pushes them out of the log.
   */
  const noteOf = async (actor: AuditedAction['actor'], account: string, id: string): Promise<void> => {
    const ids = idsOf(actor, account);
    const count = await redis.rpush(ids, id);
    await redis.pexpire(ids, KEPT_MS);
    const excess = count > keptOfCustomer ? await redis.lpop(ids, count - keptOfCustomer) : null;
    if (actor === 'customer' && excess !== null && excess.length > 0) await redis.xdel(key, ...excess);
  };
  const rowsOfAll = (from: string, wanted: number): Promise<Row[]> =>
    redis.xrevrange(key, from === '' ? '+' : `(${from}`, Date.now() - KEPT_MS, 'COUNT', wanted);
  const rowsOfAccount = async (account: string, from: string, wanted: number): Promise<Row[]> => {
    const lists = await Promise.all(
      (['customer', 'operator'] as const).map((actor) => redis.lrange(idsOf(actor, account), 0, -1)),
    );
    const oldest = `${Date.now() - KEPT_MS}-0`;
    const ids = lists.flat().filter((id) => order(id, oldest) >= 0 && (from === '' || order(id, from) < 0));
    const read = ids.sort((a, b) => order(b, a)).slice(0, wanted);
    return (await Promise.all(read.map((id) => redis.xrange(key, id, id)))).flat();
  };
  return {
    async record(action) {
      const changes = notedChanges();
      const entry: AuditedAction = { ...action, object: action.object?.slice(0, OBJECT_CHARS) };
      // A second trace of an entry that its account pushes out, and for a store of logs that nobody can change. It has
      // no texts of customers.
      const fields = changes.length === 0 ? undefined : [...new Set(changes.map(({ field }) => field))].join(', ');
      logger.info('audit entry', { ...entry, fields });
      const text = JSON.stringify({ ...entry, changes: changes.length === 0 ? undefined : changes });
      try {
        const id = await redis.xadd(key, 'MAXLEN', '~', KEPT_MAX, '*', 'action', text);
        if (entry.account !== undefined && id !== null) await noteOf(entry.actor, entry.account, id);
        await redis.xtrim(key, 'MINID', '~', Date.now() - KEPT_MS);
      } catch (error) {
        logger.warn('an action could not be written to the audit log', { ...entry, error });
      }
    },
    async list({ limit, cursor = '', account, ...filter }) {
      const from = STREAM_ID.test(cursor) ? cursor : '';
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      const wanted = account !== undefined ? OF_ACCOUNT_AT_ONCE : isFiltered ? FILTERED_AT_ONCE : limit;
      const rows = await (account === undefined
        ? rowsOfAll(from, wanted + 1)
        : rowsOfAccount(account, from, wanted + 1));
      const entries = rows.slice(0, wanted).map(entryOf);
      const matching = entries.filter((entry) => isWanted(entry, filter));
      const items = matching.slice(0, limit);
      const last = matching.length > limit ? items.at(-1) : entries.at(-1);
      const isMore = rows.length > wanted || matching.length > limit;
      return { items, ...(isMore && last !== undefined ? { nextCursor: last.id } : {}) };
    },
  };
}

const isWanted = (
  entry: AuditedAction,
  { actor = entry.actor, actions = [''] }: Pick<AuditListQuery, 'actor' | 'actions'>,
) => entry.actor === actor && actions.some((part) => entry.action.toLowerCase().includes(part.toLowerCase()));

const STREAM_ID = /^\d{1,16}-\d{1,16}$/;

/** Compares two ids of a stream: negative if the first one is older. */
function order(a: string, b: string): number {
  const [[aMs = 0, aNumber = 0], [bMs = 0, bNumber = 0]] = [partsOf(a), partsOf(b)];
  return aMs - bMs || aNumber - bNumber;
}

const partsOf = (id: string): number[] => id.split('-').map(Number);

const entryOf = ([id, [, text = '{}']]: Row): AuditEntry => ({
  id,
  time: new Date(partsOf(id)[0] ?? 0).toISOString(),
  ...(JSON.parse(text) as AuditedAction),
});
