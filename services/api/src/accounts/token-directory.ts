import { LRUCache } from 'lru-cache';
import { StoreUnavailableError } from '@mailhook/core';
import type { Access, FoundToken, Store, UsedToken } from '@mailhook/core';
import { hashToken, hasExpired } from './tokens.ts';

/** What an access token allows. */
export interface AccessToken extends UsedToken {
  readonly account: string;
  /** Its label, or its id without one. */
  readonly name: string;
  readonly access: Access;
}

/** Finds access tokens. */
export interface TokenDirectory {
  /**
   * Resolves with undefined for an invalid or expired token. Rejects with StoreUnavailableError if the token is not in
   * memory and the store is down.
   */
  find(token: string): Promise<AccessToken | undefined>;
  /** The same by `hashToken(token)`, which a session of the settings page keeps. */
  findByHash(tokenHash: string): Promise<AccessToken | undefined>;
  /**
   * Removes a revoked token from memory, so that its next use checks the store. While the store is down, that use is
   * refused.
   */
  forget(id: string): void;
  /** The same for all tokens of an account. */
  forgetAccount(account: string): void;
}

interface TokenDirectoryDeps {
  readonly store: Pick<Store, 'findByToken'>;
  readonly onUse?: (account: string, token: string) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * While the store is up, a revoked token is refused within this time, even if the message of its revocation was lost.
 */
const TRUSTED_MS = 800;
const REMEMBERED = 10_000;

/** Known tokens stay valid while the store is down, but not those whose revocation is known. */
export function createTokenDirectory({ store, onUse, now }: TokenDirectoryDeps): TokenDirectory {
  const known = new LRUCache<string, Known>({ max: REMEMBERED });
  const lookUp = async (tokenHash: string): Promise<Known | undefined> => {
    const entry = known.get(tokenHash);
    if (entry !== undefined && now() < entry.trustedUntilMs) return entry;
    const trustedUntilMs = now() + TRUSTED_MS;
    try {
      const found = await store.findByToken(tokenHash);
      if (found === undefined) known.delete(tokenHash);
      else known.set(tokenHash, knownOf(found, trustedUntilMs));
      return known.get(tokenHash);
    } catch (error) {
      if (entry === undefined || !(error instanceof StoreUnavailableError)) throw error;
      entry.trustedUntilMs = now() + TRUSTED_MS;
      return entry;
    }
  };
  const findByHash = async (tokenHash: string): Promise<AccessToken | undefined> => {
    const found = await lookUp(tokenHash);
    if (found === undefined || hasExpired(found)) return undefined;
    onUse?.(found.account, found.id);
    return found;
  };
  const forgetAll = (isMeant: (entry: { readonly id: string; readonly account: string }) => boolean): void => {
    for (const [tokenHash, entry] of [...known.entries()]) if (isMeant(entry)) known.delete(tokenHash);
  };
  return {
    find: (token) => findByHash(hashToken(token)),
    findByHash,
    forget: (id) => forgetAll((entry) => entry.id === id),
    forgetAccount: (account) => forgetAll((entry) => entry.account === account),
  };
}

interface Known extends AccessToken {
  trustedUntilMs: number;
}

const knownOf = ({ id, account, label, access, expiresAt }: FoundToken, trustedUntilMs: number): Known => ({
  id,
  account,
  name: label === '' ? id : label,
  access,
  expiresAt,
  trustedUntilMs,
});
