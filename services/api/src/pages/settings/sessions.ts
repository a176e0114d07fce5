import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { hashToken } from '../../accounts/tokens.ts';
import type { TokenDirectory } from '../../accounts/tokens.ts';
import { RecentMap } from '../../accounts/recent-map.ts';

/** Sessions of the settings page. The browser holds 256 random bits; what they stand for is here. */
export interface Sessions {
  /** Resolves with the session's id, the cookie's value. The token was checked before. */
  open(token: string): Promise<string>;
  /** The account; undefined: no such session, or its token was revoked. Rejects when neither Redis nor memory can tell. */
  accountOf(id: string): Promise<string | undefined>;
  close(id: string): Promise<void>;
}

interface SessionsDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly tokens: Pick<TokenDirectory, 'findByHash'>;
}

/** A working day; then the token is asked for again. Not prolonged by use: an open page asks for news all the time. */
export const SESSION_S = 8 * 3600;
const REMEMBERED = 10_000;

/**
 * A session is bound to its token: it ends with it, within the time that a revoked token is refused in. Of the session's id only a digest
 * is stored. While Redis is away sessions that this replica has seen go on, so that the page can still say what is wrong.
 */
export function createSessions({ redis, prefix, tokens }: SessionsDeps): Sessions {
  const seen = new RecentMap<string>(REMEMBERED);
  const keyOf = (id: string): string =>
    `${prefix}:settings-sessions:${createHash('sha256').update(id).digest('base64url')}`;
  const tokenHashOf = async (key: string): Promise<string | undefined> => {
    try {
      const found = await redis.get(key);
      if (found === null) seen.delete(key);
      else seen.set(key, found);
      return found ?? undefined;
    } catch (error) {
      const remembered = seen.get(key);
      if (remembered === undefined) throw error;
      return remembered;
    }
  };
  return {
    async open(token) {
      const id = randomBytes(32).toString('base64url');
      await redis.set(keyOf(id), hashToken(token), 'EX', SESSION_S);
      return id;
    },
    async accountOf(id) {
      const tokenHash = await tokenHashOf(keyOf(id));
      return tokenHash === undefined ? undefined : tokens.findByHash(tokenHash);
    },
    async close(id) {
      seen.delete(keyOf(id));
      await redis.del(keyOf(id));
    },
  };
}
