import { createHash, randomBytes } from 'node:crypto';
import type { Access } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { hashToken } from '../accounts/tokens.ts';
import type { TokenDirectory } from '../accounts/tokens.ts';
import { RecentMap } from '../accounts/recent-map.ts';
import type { PortalEpochs } from './portal-epochs.ts';
import type { PortalGrant } from './portal-links.ts';
import { PORTAL_LINK_S } from './portal-links.ts';

export interface Session {
  readonly account: string;
  readonly access: Access;
  /** Only a session that a portal link opened has it. `returnUrl`: where the page links back to. */
  readonly portal?: { readonly returnUrl?: string | undefined };
}

/** Sessions of the settings page. The browser holds only a random id of 256 bits. */
export interface Sessions {
  /** Opens a session for a token that the caller has verified. Resolves with the session's id, which is the cookie's value. */
  open(token: string): Promise<string>;
  /** The same for a portal link that was just used. */
  openPortal(grant: PortalGrant): Promise<string>;
  /** Resolves with undefined if the session, or the token or epoch that it is bound to, has ended. Rejects if neither Redis, the store nor memory can answer. */
  find(id: string): Promise<Session | undefined>;
  close(id: string): Promise<void>;
  /** Ends the account's portal sessions and revokes its unused portal links, on all replicas at once. A session of a token ends with its token. */
  closeAllOf(account: string): Promise<void>;
}

interface SessionsDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly tokens: Pick<TokenDirectory, 'findByHash'>;
  readonly epochs: PortalEpochs;
}

/** A working day, after which the user must sign in again. Use does not prolong a session, because an open page polls for updates. */
export const SESSION_S = 8 * 3600;
const REMEMBERED = 10_000;

/** A record in Redis is a token's hash, or the JSON of a grant. */
type Bond = { readonly tokenHash: string } | { readonly grant: PortalGrant };

/**
 * A session ends as soon as its token is refused after a revocation. Redis stores only a digest of the session's id. While Redis is down,
 * sessions that this replica has seen continue, so that the page can still report the problem.
 */
export function createSessions({ redis, prefix, tokens, epochs }: SessionsDeps): Sessions {
  const seen = new RecentMap<Bond>(REMEMBERED);
  const keyOf = (id: string): string =>
    `${prefix}:settings-sessions:${createHash('sha256').update(id).digest('base64url')}`;
  const openWith = async (record: string, untilMs = Date.now() + SESSION_S * 1000): Promise<string> => {
    const id = randomBytes(32).toString('base64url');
    await redis.set(keyOf(id), record, 'PXAT', untilMs);
    return id;
  };
  const readBond = async (key: string): Promise<Bond | undefined> => {
    const record = await redis.get(key);
    if (record === null) return undefined;
    if (!record.startsWith('{')) return { tokenHash: record };
    const grant = JSON.parse(record) as PortalGrant;
    return (await epochs.of(grant.account)) === grant.epoch ? { grant } : undefined;
  };
  const findBond = async (key: string): Promise<Bond | undefined> => {
    try {
      const found = await readBond(key);
      if (found === undefined) seen.delete(key);
      else seen.set(key, found);
      return found;
    } catch (error) {
      const remembered = seen.get(key);
      if (remembered === undefined) throw error;
      return remembered;
    }
  };
  return {
    open: (token) => openWith(hashToken(token)),
    openPortal: (grant) => {
      const { sessionExpiresAt: end } = grant;
      const untilMs = Math.min(Date.now() + SESSION_S * 1000, end === undefined ? Infinity : Date.parse(end));
      return openWith(JSON.stringify(grant), untilMs);
    },
    async find(id) {
      const bond = await findBond(keyOf(id));
      if (bond === undefined) return undefined;
      if (!('grant' in bond)) return tokens.findByHash(bond.tokenHash);
      const { account, access = 'manage', returnUrl } = bond.grant;
      return { account, access, portal: { returnUrl } };
    },
    async close(id) {
      seen.delete(keyOf(id));
      await redis.del(keyOf(id));
    },
    closeAllOf: (account) => epochs.renew(account, SESSION_S + 2 * PORTAL_LINK_S),
  };
}
