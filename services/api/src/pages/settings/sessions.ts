import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { hashToken } from '../../accounts/tokens.ts';
import type { TokenDirectory } from '../../accounts/tokens.ts';
import { RecentMap } from '../../accounts/recent-map.ts';

/** Sessions of the settings page. The browser holds only a random id of 256 bits. */
export interface Sessions {
  /** Opens a session for a token that the caller has verified. Resolves with the session's id, which is the cookie's value. */
  open(token: string): Promise<string>;
  /** Resolves with the account, or undefined if the session or its token is no longer valid. Rejects if neither Redis, the store nor memory can answer. */
  accountOf(id: string): Promise<string | undefined>;
  close(id: string): Promise<void>;
}

interface SessionsDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly tokens: Pick<TokenDirectory, 'findByHash'>;
}

/** A working day, after which the user must sign in again. Use does not prolong a session, because an open page polls for updates. */
export const SESSION_S = 8 * 3600;
const REMEMBERED = 10_000;

/**
 * A session ends as soon as its token is refused after a revocation. Redis stores only a digest of the session's id. While Redis is down,
 * sessions that this replica has seen continue, so that the page can still report the problem.
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
