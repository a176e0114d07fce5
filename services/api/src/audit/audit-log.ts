import type { AuditedAction, AuditEntry, AuditLog } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';

interface AuditLogDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  readonly keptOfCustomer?: number;
}

const KEPT_MS = 90 * 86_400_000;
/** About 60 MB. It only matters if programs change settings all the time. */
const KEPT_MAX = 200_000;
/**
 * Entries about changes by one customer. Older ones make room for newer ones, so that a customer cannot push out the
 * entries of others.
 */
const KEPT_OF_CUSTOMER = 5000;
/** Entries that one page looks at, if it has a filter. */
const FILTERED_AT_ONCE = 5000;
const OBJECT_CHARS = 300;

/** A stream in Redis, shared by all replicas. Entries are kept for 90 days. */
export function createAuditLog({ redis, prefix, logger, keptOfCustomer = KEPT_OF_CUSTOMER }: AuditLogDeps): AuditLog {
  const key = `${prefix}:audit`;
  /** Notes an entry of a customer, and removes the customer's oldest entries beyond the maximum. */
  const keepShare = async (account: string, id: string): Promise<void> => {
    const ids = `${key}-of:${account}`;
    const count = await redis.rpush(ids, id);
    await redis.pexpire(ids, KEPT_MS);
    const excess = count > keptOfCustomer ? await redis.lpop(ids, count - keptOfCustomer) : null;
    if (excess !== null && excess.length > 0) await redis.xdel(key, ...excess);
  };
  return {
    async record(action) {
      const entry: AuditedAction = { ...action, object: action.object?.slice(0, OBJECT_CHARS) };
      // A second trace of an entry that its account pushes out, and for a store of logs that nobody can change.
      logger.info('audit entry', entry);
      try {
        const id = await redis.xadd(key, 'MAXLEN', '~', KEPT_MAX, '*', 'action', JSON.stringify(entry));
        if (entry.actor === 'customer' && entry.account !== undefined && id !== null)
          await keepShare(entry.account, id);
        await redis.xtrim(key, 'MINID', '~', Date.now() - KEPT_MS);
      } catch (error) {
        logger.warn('an action could not be written to the audit log', { ...entry, error });
      }
    },
    async list({ limit, cursor, ...filter }) {
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      const wanted = isFiltered ? FILTERED_AT_ONCE : limit;
      const from = cursor !== undefined && STREAM_ID.test(cursor) ? `(${cursor}` : '+';
      const rows = await redis.xrevrange(key, from, Date.now() - KEPT_MS, 'COUNT', wanted + 1);
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
  { account = entry.account, actor = entry.actor, action = '' }: Omit<Parameters<AuditLog['list']>[0], 'limit'>,
): boolean =>
  entry.account === account && entry.actor === actor && entry.action.toLowerCase().includes(action.toLowerCase());

const STREAM_ID = /^\d{1,16}-\d{1,16}$/;

const entryOf = ([id, [, text = '{}']]: [id: string, fields: string[]]): AuditEntry => ({
  id,
  time: new Date(Number(id.split('-')[0])).toISOString(),
  ...(JSON.parse(text) as AuditedAction),
});
