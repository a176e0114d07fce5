import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { StoreUnavailableError } from '@mailhook/core';
import type { AccountStore } from '@mailhook/core';
import { RecentMap } from './recent-map.ts';

/** 256 random bits behind a prefix that says what it is, wherever it is found. */
export const newToken = (): string => `mhk_${randomBytes(32).toString('base64url')}`;

/** What is stored of a token. A plain digest will do: there is nothing to guess in 256 random bits. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex');

/** A signing secret as Standard Webhooks has it. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Ids of ours: URL-safe, 16 characters of 96 random bits. */
export const newId = (): string => randomBytes(12).toString('base64url');

/** Whether a text is the secret, in a time that tells nothing of how much of it is right. */
export function createSecretCheck(secret: string): (candidate: string) => boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

/** Whose token is this? */
export interface TokenDirectory {
  /** The account; undefined: nobody's. Rejects with StoreUnavailableError when the token is not known here and the store is down. */
  find(token: string): Promise<string | undefined>;
  /** The same by `hashToken(token)`: what a session of the settings page remembers. */
  findByHash(tokenHash: string): Promise<string | undefined>;
  /** The token with this id was revoked. */
  forget(id: string): void;
}

interface TokenDirectoryDeps {
  readonly store: Pick<AccountStore, 'findToken'>;
  /** Milliseconds, never going back. */
  readonly now: () => number;
}

/** A revoked token is refused within this time, even where the message of its revocation was lost. */
const TRUSTED_MS = 800;
const REMEMBERED = 10_000;

/** Known tokens stay good while the store is down. */
export function createTokenDirectory({ store, now }: TokenDirectoryDeps): TokenDirectory {
  const known = new RecentMap<{ id: string; account: string; trustedUntilMs: number }>(REMEMBERED);
  const findByHash = async (tokenHash: string): Promise<string | undefined> => {
    const entry = known.get(tokenHash);
    if (entry !== undefined && now() < entry.trustedUntilMs) return entry.account;
    const trustedUntilMs = now() + TRUSTED_MS;
    try {
      const found = await store.findToken(tokenHash);
      if (found === undefined) known.delete(tokenHash);
      else known.set(tokenHash, { id: found.id, account: found.account, trustedUntilMs });
      return found?.account;
    } catch (error) {
      if (entry === undefined || !(error instanceof StoreUnavailableError)) throw error;
      entry.trustedUntilMs = now() + TRUSTED_MS;
      return entry.account;
    }
  };
  return {
    find: (token) => findByHash(hashToken(token)),
    findByHash,
    forget: (id) => {
      for (const entry of known.values()) if (entry.id === id) entry.trustedUntilMs = 0;
    },
  };
}
