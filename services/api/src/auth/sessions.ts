import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Operator, PortalGrant, SessionBrowser, Sessions } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { hashToken } from '../accounts/tokens.ts';
import type { AccessToken, TokenDirectory } from '../accounts/token-directory.ts';
import type { PortalEpochs } from './portal-epochs.ts';
import { PORTAL_LINK_S } from './portal-links.ts';

interface SessionsDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly tokens: Pick<TokenDirectory, 'findByHash'>;
  readonly epochs: PortalEpochs;
}

/** A working day, after which the user must sign in again, whatever happened meanwhile. */
const SESSION_S = 8 * 3600;
/**
 * A session ends when the user has opened and pressed nothing for this long. The updates of an open page do not count.
 */
const IDLE_S = 3600;
/** Beyond it, the oldest session ends, so that sign-ins in a loop cannot fill Redis. */
const SESSIONS_PER_TOKEN_MAX = 20;
/** A platform opens one for each of its users who looks at the account's webhooks. */
const PORTAL_SESSIONS_PER_ACCOUNT_MAX = 200;
/** A session in which an operator looks at an account. */
const OPERATOR_SESSION_S = 3600;
const REMEMBERED = 10_000;

/** What a session is bound to. */
type Bond = { readonly tokenHash: string } | { readonly grant: PortalGrant };
/** The record in Redis. Times are Unix milliseconds. */
type Stored = Bond & { readonly startedMs: number; readonly untilMs: number; readonly browser: SessionBrowser };

/** Browsers may say more about themselves. */
const AGENT_CHARS = 200;

/**
 * A session ends as soon as its token is refused after a revocation. Redis stores only a digest of the session's id.
 * While Redis is down, sessions that this replica has seen continue, so that the page can still report the problem.
 */
export function createSessions({ redis, prefix, tokens, epochs }: SessionsDeps): Sessions {
  const seen = new LRUCache<string, Stored>({ max: REMEMBERED });
  const records = createRecords({ redis, prefix });
  const { keyOf, listOf, living, end } = records;
  const forget = async (list: string, digests: readonly string[]): Promise<void> => {
    for (const digest of digests) seen.delete(digest);
    await end(list, digests);
  };
  const openWith = openerOf({ redis, records, forget });
  const read = readerOf({ redis, epochs, seen, keyOf });
  return {
    lifetimeS: SESSION_S,
    open: (token, browser) => openWith({ tokenHash: hashToken(token) }, browser, SESSIONS_PER_TOKEN_MAX),
    openPortal: (grant, browser) => openWith({ grant }, browser, PORTAL_SESSIONS_PER_ACCOUNT_MAX, endOfGrant(grant)),
    async find(id, { isPolling } = { isPolling: false }) {
      const digest = digestOf(id);
      const found = await read(digest);
      if (found === undefined) return undefined;
      // While Redis is down, nothing ends for inactivity either.
      if (!isPolling) await redis.pexpireat(keyOf(digest), idleEnd(found)).catch(() => undefined);
      if (!('grant' in found)) {
        const token = await tokens.findByHash(found.tokenHash);
        return token && { ...ofToken(token), startedMs: found.startedMs };
      }
      const { account, access = 'manage', returnUrl, operator } = found.grant;
      const { startedMs } = found;
      const origin = operator?.token ?? 'portal link';
      return { account, origin, operator, access, startedMs, portal: { returnUrl } };
    },
    async close(id) {
      const digest = digestOf(id);
      const found = await read(digest);
      seen.delete(digest);
      if (found === undefined) await redis.del(keyOf(digest));
      else await forget(listOf(found), [digest]);
    },
    async listAlike(id) {
      const digest = digestOf(id);
      const found = await read(digest);
      if (found === undefined) return [];
      return (await living(listOf(found))).map((one) => ({
        startedAt: new Date(one.startedMs).toISOString(),
        isCurrent: one.digest === digest,
        operator: one.operator,
        id: one.digest,
        ...one.browser,
      }));
    },
    async closeListed(id, listed) {
      const found = await read(digestOf(id));
      if (found === undefined || (await redis.zscore(listOf(found), listed)) === null) return false;
      await forget(listOf(found), [listed]);
      return true;
    },
    async closeAlike(id) {
      const found = await read(digestOf(id));
      if (found === undefined) return;
      const list = listOf(found);
      await forget(list, await redis.zrange(list, '0', '-1'));
    },
    closeAllOf: (account) => epochs.renew(account, SESSION_S + 2 * PORTAL_LINK_S),
  };
}

interface OpenerDeps extends Pick<SessionsDeps, 'redis'> {
  readonly records: ReturnType<typeof createRecords>;
  readonly forget: (list: string, digests: readonly string[]) => Promise<void>;
}

/** Opens a session, and ends the oldest ones of its list beyond `max`. */
const openerOf =
  ({ redis, records: { add, listOf, living }, forget }: OpenerDeps) =>
  async (bond: Bond, { agent, client }: SessionBrowser, max: number, endMs = Infinity): Promise<string> => {
    const id = randomBytes(32).toString('base64url');
    const startedMs = Date.now();
    await add(digestOf(id), {
      ...bond,
      startedMs,
      untilMs: Math.min(startedMs + SESSION_S * 1000, endMs),
      browser: { agent: agent?.slice(0, AGENT_CHARS), client },
    });
    const list = listOf(bond);
    if ((await redis.zcard(list)) > max) {
      const digests = (await living(list)).map((one) => one.digest);
      await forget(list, digests.slice(0, Math.max(0, digests.length - max)));
    }
    return id;
  };

interface ReaderDeps extends Pick<SessionsDeps, 'redis' | 'epochs'> {
  readonly seen: LRUCache<string, Stored>;
  readonly keyOf: (digest: string) => string;
}

/** Reads the record of a session that has not ended. While Redis is down, one that this replica has seen. */
const readerOf =
  ({ redis, epochs, seen, keyOf }: ReaderDeps) =>
  async (digest: string): Promise<Stored | undefined> => {
    try {
      const record = await redis.get(keyOf(digest));
      const found = record === null ? undefined : (JSON.parse(record) as Stored);
      const isOver =
        found !== undefined && 'grant' in found && (await epochs.of(found.grant.account)) !== found.grant.epoch;
      if (found === undefined || isOver) {
        seen.delete(digest);
        return undefined;
      }
      seen.set(digest, found);
      return found;
    } catch (error) {
      const remembered = seen.get(digest);
      if (remembered === undefined) throw error;
      return remembered.untilMs > Date.now() ? remembered : undefined;
    }
  };

const ofToken = ({ account, name, access, id, expiresAt }: AccessToken) => ({
  account,
  origin: name,
  access,
  token: { id, expiresAt },
});

/** When the session of a portal link ends at the latest, in Unix milliseconds. */
function endOfGrant({ sessionExpiresAt, operator }: PortalGrant): number {
  const endMs = sessionExpiresAt === undefined ? Infinity : Date.parse(sessionExpiresAt);
  return Math.min(endMs, operator === undefined ? Infinity : Date.now() + OPERATOR_SESSION_S * 1000);
}

const digestOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

/** When the session ends without another use, in Unix milliseconds. */
const idleEnd = ({ untilMs }: Stored): number => Math.min(Date.now() + IDLE_S * 1000, untilMs);

interface LivingSession extends Pick<Stored, 'startedMs' | 'browser'> {
  readonly digest: string;
  readonly operator: Operator | undefined;
}

/** The records of sessions in Redis, and the lists that bound their number. */
function createRecords({ redis, prefix }: Pick<SessionsDeps, 'redis' | 'prefix'>) {
  const keyOf = (digest: string): string => `${prefix}:settings-sessions:${digest}`;
  /**
   * Sorted set: digest of a session's id -> start. One per access token, and one for the portal sessions of an account.
   */
  const listOf = (bond: Bond): string =>
    `${prefix}:settings-sessions-of:${'grant' in bond ? `portal:${bond.grant.account}` : `token:${bond.tokenHash}`}`;
  const end = async (list: string, digests: readonly string[]): Promise<void> => {
    if (digests.length === 0) return;
    await redis
      .multi()
      .del(...digests.map(keyOf))
      .zrem(list, ...digests)
      .exec();
  };
  return {
    keyOf,
    listOf,
    end,
    add: async (digest: string, record: Stored): Promise<void> => {
      const list = listOf(record);
      const results = await redis
        .multi()
        .set(keyOf(digest), JSON.stringify(record), 'PXAT', idleEnd(record))
        .zadd(list, record.startedMs, digest)
        .expire(list, SESSION_S)
        .exec();
      const failure = results?.find(([error]) => error !== null)?.[0];
      if (failure) throw failure;
    },
    /** The living sessions of a list with their starts, oldest first. Removes those that have ended by themselves. */
    living: async (list: string): Promise<LivingSession[]> => {
      const digests = await redis.zrange(list, '0', '-1');
      const records = await Promise.all(digests.map((digest) => redis.get(keyOf(digest))));
      await end(
        list,
        digests.filter((_, i) => records[i] === null),
      );
      return digests.flatMap((digest, i) => {
        const record = records[i] ?? null;
        if (record === null) return [];
        const { startedMs, browser, ...bond } = JSON.parse(record) as Stored;
        return [{ digest, startedMs, browser, operator: 'grant' in bond ? bond.grant.operator : undefined }];
      });
    },
  };
}
