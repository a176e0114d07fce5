import type { Redis } from '@mailhook/platform/redis';
import { StoreConflictError } from '@mailhook/core';
import type { AccountPage, StoredAccount, StoredDeletion } from '@mailhook/core';
import type { StoreKeys } from './keys.ts';
import { runAll } from './run-all.ts';

/**
 * Creates or renames an account in one step. KEYS: account, accounts, accounts by age, deletions. ARGV: id, the JSON of
 * the id, of the name and of the time of creation, its Unix milliseconds. Reply: created, renamed, unchanged, or
 * deleted.
 */
const PUT = `
if redis.call('HEXISTS', KEYS[4], ARGV[1]) == 1 then return 'deleted' end
local old = redis.call('GET', KEYS[1])
local createdAt, score = ARGV[4], ARGV[5]
if old then
  createdAt = string.match(old, '"createdAt":("[^"]*")}$')
  score = redis.call('ZSCORE', KEYS[3], ARGV[1])
end
local record = '{"id":' .. ARGV[2] .. ',"name":' .. ARGV[3] .. ',"createdAt":' .. createdAt .. '}'
redis.call('SET', KEYS[1], record)
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('ZADD', KEYS[3], score, ARGV[1])
if not old then return 'created' end
return old == record and 'unchanged' or 'renamed'
`;

/**
 * KEYS: account, accounts, accounts by age, deletions. ARGV: id, the deletion. Reply: 0 if there is neither an account
 * nor a deletion. Runs even when Redis is full.
 */
const DELETE = `#!lua flags=allow-oom
local isKnown = redis.call('DEL', KEYS[1]) == 1 or redis.call('HEXISTS', KEYS[4], ARGV[1]) == 1
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if isKnown then redis.call('HSETNX', KEYS[4], ARGV[1], ARGV[2]) end
return isKnown and 1 or 0
`;

/** Accounts read at once, when a list is filtered. */
const FILTERED_AT_ONCE = 1000;

export function accountMethods(redis: Redis, keys: StoreKeys) {
  const findAccounts = async (ids: readonly string[]): Promise<StoredAccount[]> => {
    const found = ids.length === 0 ? [] : await redis.mget(ids.map(keys.account));
    return found.filter((text) => text !== null).map(accountOf);
  };
  const keysOf = (id: string): string[] => [keys.account(id), keys.accounts, keys.accountsByAge, keys.deletions];
  return {
    putAccount: async ({ id, name, createdAt }: StoredAccount) => {
      const args = [id, ...[id, name, createdAt].map((part) => JSON.stringify(part)), Date.parse(createdAt)];
      const reply = await redis.eval(PUT, 4, ...keysOf(id), ...args);
      if (reply === 'deleted') throw new StoreConflictError('an account with this id was deleted lately');
      return reply as 'created' | 'renamed' | 'unchanged';
    },
    findAccount: async (id: string) => (await findAccounts([id]))[0],
    listAccounts: async (page: { readonly limit: number; readonly after?: string | undefined }) => {
      const from = page.after === undefined ? '-' : `(${page.after}`;
      const ids = await redis.zrange(keys.accounts, from, '+', 'BYLEX', 'LIMIT', 0, page.limit);
      return findAccounts(ids);
    },
    listNewestAccounts: async ({ limit, cursor, prefix }: AccountPage) => {
      const from = await rankAfter(redis, keys, cursor);
      const wanted = prefix === undefined ? limit : FILTERED_AT_ONCE;
      const rows = await redis.zrevrange(keys.accountsByAge, from, from + wanted, 'WITHSCORES');
      const ids = rows.filter((_, i) => i % 2 === 0);
      const read = (await findAccounts(ids.slice(0, wanted))).filter((account) => startsWith(account, prefix));
      const items = read.slice(0, limit);
      // With a filter, the next page starts after the last match, or else after the last account that was read.
      const last = ids.indexOf(read.length > limit ? (items.at(-1)?.id ?? '') : (ids[wanted - 1] ?? ''));
      const isMore = ids.length > wanted || read.length > limit;
      return { items, ...(isMore ? { nextCursor: `${rows[2 * last + 1] ?? ''}~${ids[last] ?? ''}` } : {}) };
    },
    deleteAccount: async (id: string, startedAt: string) => {
      const deletion: StoredDeletion = { account: id, startedAt, finishedAt: null };
      return (await redis.eval(DELETE, 4, ...keysOf(id), id, JSON.stringify(deletion))) === 1;
    },
    ...deletionMethods(redis, keys),
    findAccounts,
  };
}

function deletionMethods(redis: Redis, keys: StoreKeys) {
  const findDeletion = async (account: string): Promise<StoredDeletion | undefined> => {
    const found = await redis.hget(keys.deletions, account);
    return found === null ? undefined : (JSON.parse(found) as StoredDeletion);
  };
  return {
    listDeletions: async () => (await redis.hvals(keys.deletions)).map((text) => JSON.parse(text) as StoredDeletion),
    findDeletion,
    removeSettings: async (account: string) => {
      const hashes = await redis.hvals(keys.accountTokens(account));
      const ofDestinations = [keys.campaign(account), keys.subscriptions(account), keys.destinationSettings(account)];
      const others = [keys.subscriptionsRevision(account), keys.accountTokens(account), keys.secrets(account)];
      const transaction = redis.multi().del(...ofDestinations, ...others);
      if (hashes.length > 0) transaction.hdel(keys.tokens, ...hashes);
      await runAll(transaction);
    },
    finishDeletion: async (account: string, finishedAt: string) => {
      const found = await findDeletion(account);
      if (found === undefined) return;
      await redis.hset(keys.deletions, account, JSON.stringify({ ...found, finishedAt }));
    },
    forgetDeletion: async (account: string) => {
      await redis.hdel(keys.deletions, account);
    },
  };
}

const accountOf = (text: string): StoredAccount => JSON.parse(text) as StoredAccount;

const startsWith = ({ id, name }: StoredAccount, prefix = ''): boolean =>
  id.startsWith(prefix) || name.toLowerCase().startsWith(prefix.toLowerCase());

/**
 * The rank after the account of a cursor. If it was deleted meanwhile, accounts of the same millisecond may come again.
 */
async function rankAfter(redis: Redis, { accountsByAge }: StoreKeys, cursor: string | undefined): Promise<number> {
  if (cursor === undefined) return 0;
  const [score = '', id = ''] = cursor.split('~');
  const rank = await redis.zrevrank(accountsByAge, id);
  if (rank !== null) return rank + 1;
  return /^\d+$/.test(score) ? redis.zcount(accountsByAge, `(${score}`, '+inf') : 0;
}
