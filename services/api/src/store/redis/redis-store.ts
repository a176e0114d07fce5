import { KINDS, StoreConflictError, StoreUnavailableError } from '@mailhook/core';
import type {
  AccountPage,
  SearchBounds,
  Store,
  StoredAccount,
  StoredDeletion,
  StoredProducerToken,
} from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { collectMatches, wordsOf } from '../collect-matches.ts';
import { translateStoreErrors } from '../translate-store-errors.ts';
import { storeKeys } from './keys.ts';
import type { StoreKeys } from './keys.ts';

/**
 * Writes or removes an account if its stored version is the expected one, with its place in every other key. KEYS:
 * account, accounts, accounts by age, deletions, tokens, destinations. ARGV: id, the expected version (0: no account),
 * the record ('' to remove it), the Unix milliseconds of its creation, the deletion's JSON. Reply: `saved`,
 * `changed` if the version is another one, or why it is refused: `deleted`, `token` or `destination`.
 */
const WRITE = `
local id, record = ARGV[1], ARGV[3]
local old = redis.call('GET', KEYS[1])
local function uniqueOf(text) return cjson.decode(string.match(text, '^[^\\n]*')) end
local former = old and uniqueOf(old) or {version = 0, tokens = {}, destinations = {}}
local next = record ~= '' and uniqueOf(record) or {tokens = {}, destinations = {}}
if former.version ~= tonumber(ARGV[2]) then return 'changed' end
if not old and redis.call('HEXISTS', KEYS[4], id) == 1 then return 'deleted' end
local function isTaken(key, field)
  local owner = redis.call('HGET', key, field)
  return owner and owner ~= id
end
for _, hash in ipairs(next.tokens) do if isTaken(KEYS[5], hash) then return 'token' end end
for _, one in ipairs(next.destinations) do if isTaken(KEYS[6], one) then return 'destination' end end
for _, hash in ipairs(former.tokens) do redis.call('HDEL', KEYS[5], hash) end
for _, one in ipairs(former.destinations) do redis.call('HDEL', KEYS[6], one) end
for _, hash in ipairs(next.tokens) do redis.call('HSET', KEYS[5], hash, id) end
for _, one in ipairs(next.destinations) do redis.call('HSET', KEYS[6], one, id) end
if record == '' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('HSET', KEYS[4], id, ARGV[5])
else
  redis.call('SET', KEYS[1], record)
  redis.call('ZADD', KEYS[2], 0, id)
  redis.call('ZADD', KEYS[3], ARGV[4], id)
end
return 'saved'
`;

/** With a first line of this form, Redis decides before the script starts whether it may run at the memory limit. */
const SCRIPTS = { whenRoom: `#!lua\n${WRITE}`, evenWhenFull: `#!lua flags=allow-oom\n${WRITE}` };

const CONFLICTS: Readonly<Record<string, string>> = {
  deleted: 'an account with this id was deleted lately',
  token: 'this token is in use',
  destination: 'this destination id is in use',
};

/** Accounts that a search or a filtered list reads with one command: a few MB. */
const PAGE = 500;

interface RedisStoreDeps {
  /** A fail-fast connection, so that every command fails at once while Redis is down. The caller must close it. */
  readonly redis: Redis;
  readonly prefix: string;
}

/**
 * The default store, in the Redis that Mailhook needs anyway. Its durability depends on the settings of Redis
 * (append-only file).
 */
export function createRedisStore({ redis, prefix }: RedisStoreDeps): Store {
  const keys = storeKeys(prefix);
  const readTexts = async (ids: readonly string[]): Promise<string[]> =>
    ids.length === 0 ? [] : (await redis.mget(ids.map(keys.account))).filter((text) => text !== null);
  const loadAll = async (ids: readonly string[]) => (await readTexts(ids)).map(accountOf);
  const load = async (id: string) => (await loadAll([id]))[0];
  const list = (after: string | undefined, count: number): Promise<string[]> =>
    redis.zrange(keys.accounts, after === undefined ? '-' : `(${after}`, '+', 'BYLEX', 'LIMIT', 0, count);
  const write = async (account: StoredAccount, record: string, deletion: string, script: string): Promise<boolean> => {
    const { id, version, createdAt } = account;
    const others = [keys.accounts, keys.accountsByAge, keys.deletions, keys.tokens, keys.destinations];
    const args = [id, version, record, Date.parse(createdAt), deletion];
    const reply = String(await redis.eval(script, 1 + others.length, keys.account(id), ...others, ...args));
    const conflict = CONFLICTS[reply];
    if (conflict !== undefined) throw new StoreConflictError(conflict);
    return reply === 'saved';
  };
  const store: Store = {
    load,
    loadAll,
    save: (account, { evenWhenFull = false } = {}) => {
      return write(
        account,
        recordOf({ ...account, version: account.version + 1 }),
        '',
        evenWhenFull ? SCRIPTS.evenWhenFull : SCRIPTS.whenRoom,
      );
    },
    remove: (account, startedAt) => {
      const destinations = account.destinations.map(({ id, module }) => ({ id, kind: KINDS[module] }));
      const deletion: StoredDeletion = { account: account.id, startedAt, finishedAt: null, destinations };
      return write(account, '', JSON.stringify(deletion), SCRIPTS.evenWhenFull);
    },
    findByToken: async (tokenHash) => {
      const account = await redis.hget(keys.tokens, tokenHash);
      const found = account === null ? undefined : await load(account);
      const token = found?.tokens.find((one) => one.tokenHash === tokenHash);
      return found === undefined || token === undefined ? undefined : { ...token, account: found.id };
    },
    list,
    newest: newest(redis, keys, loadAll),
    search: async (text, { limit, withinMs }: SearchBounds) => {
      const endsAtMs = performance.now() + withinMs;
      const matches = collectMatches(text, limit);
      // First, because the time may not suffice for all accounts.
      const owner = await redis.hget(keys.destinations, text);
      matches.add(await loadAll([text, owner ?? text]));
      // Most records are not parsed, because their text shows that they do not match.
      const words = wordsOf(text).map((word) => JSON.stringify(word).slice(1, -1));
      for (let after: string | undefined; ;) {
        const ids = await list(after, PAGE);
        const texts = (await readTexts(ids)).filter((record) => {
          const searched = record.toLowerCase();
          return words.every((word) => searched.includes(word));
        });
        matches.add(texts.map(accountOf));
        const isLast = ids.length < PAGE;
        if (isLast || matches.isFull() || performance.now() > endsAtMs) return matches.result(isLast);
        after = ids.at(-1);
      }
    },
    ...otherRecords(redis, keys),
    ping: async () => {
      await redis.ping();
    },
    close: () => Promise.resolve(),
  };
  return translateStoreErrors(
    store,
    (error) => new StoreUnavailableError('the store (Redis) cannot be reached', { cause: error }),
  );
}

/** The script cannot read every text that an account may have, such as half of a surrogate pair. */
const recordOf = (account: StoredAccount): string => {
  const [tokens, destinations] = [account.tokens.map((one) => one.tokenHash), account.destinations.map(({ id }) => id)];
  return `${JSON.stringify({ version: account.version, tokens, destinations })}\n${JSON.stringify(account)}`;
};
const accountOf = (record: string) => JSON.parse(record.slice(record.indexOf('\n'))) as StoredAccount;
const deletionOf = (text: string) => JSON.parse(text) as StoredDeletion;
const producerTokenOf = (text: string) => JSON.parse(text) as StoredProducerToken;

const newest =
  (redis: Redis, keys: StoreKeys, loadAll: Store['loadAll']): Store['newest'] =>
  async ({ limit, cursor, prefix }: AccountPage) => {
    const from = await rankAfter(redis, keys, cursor);
    const wanted = prefix === undefined ? limit : PAGE;
    const rows = await redis.zrevrange(keys.accountsByAge, from, from + wanted, 'WITHSCORES');
    const ids = rows.filter((_, i) => i % 2 === 0);
    const read = (await loadAll(ids.slice(0, wanted))).filter((account) => startsWith(account, prefix));
    const items = read.slice(0, limit).map(({ id, name, createdAt }) => ({ id, name, createdAt }));
    // With a filter, the next page starts after the last match, or else after the last account that was read.
    const last = ids.indexOf(read.length > limit ? (items.at(-1)?.id ?? '') : (ids[wanted - 1] ?? ''));
    const isMore = ids.length > wanted || read.length > limit;
    return { items, ...(isMore ? { nextCursor: `${rows[2 * last + 1] ?? ''}~${ids[last] ?? ''}` } : {}) };
  };

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

/** Deletions, the tokens of producers and the last comparison. */
function otherRecords(redis: Redis, keys: StoreKeys) {
  const findDeletion = async (account: string) => {
    const found = await redis.hget(keys.deletions, account);
    return found === null ? undefined : deletionOf(found);
  };
  return {
    findDeletion,
    listDeletions: async () => (await redis.hvals(keys.deletions)).map(deletionOf),
    finishDeletion: async (account: string, finishedAt: string | null) => {
      const found = await findDeletion(account);
      if (found === undefined) return;
      await redis.hset(keys.deletions, account, JSON.stringify({ ...found, finishedAt }));
    },
    forgetDeletion: async (account: string) => {
      await redis.hdel(keys.deletions, account);
    },
    listProducerTokens: async () => {
      const found = (await redis.hvals(keys.producerTokens)).map(producerTokenOf);
      return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
    createProducerToken: async (token: StoredProducerToken) => {
      await redis.hset(keys.producerTokens, token.id, JSON.stringify(token));
    },
    deleteProducerToken: async (id: string) => (await redis.hdel(keys.producerTokens, id)) === 1,
    readComparison: async () => (await redis.get(keys.comparison)) ?? undefined,
    noteComparison: async (id: string) => {
      await redis.set(keys.comparison, id);
    },
  };
}
