import { hash, randomBytes } from 'node:crypto';
import { StoreUnavailableError } from '@mailhook/core';
import type { AccountStore } from '@mailhook/core';
import { RecentMap } from './recent-map.ts';

/** 256 random bits after a prefix that identifies a token of Mailhook, for example in a log. */
export const newToken = (): string => `mhk_${randomBytes(32).toString('base64url')}`;

/** The digest that the store keeps of a token. A plain digest suffices, because nobody can guess 256 random bits. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex');

/** A signing secret in the format of Standard Webhooks. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** An id of 96 random bits, as 16 URL-safe characters. */
export const newId = (): string => randomBytes(12).toString('base64url');

/** Finds the account of a token. */
export interface TokenDirectory {
  /** Resolves with the account, or undefined for an invalid token. Rejects with StoreUnavailableError if the token is not in memory and the store is down. */
  find(token: string): Promise<string | undefined>;
  /** The same, with the token's label, or its id if it has none. */
  identify(token: string): Promise<{ readonly account: string; readonly name: string } | undefined>;
  /** Like `identify`, by `hashToken(token)`, which a session of the settings page keeps. */
  identifyByHash(tokenHash: string): Promise<{ readonly account: string; readonly name: string } | undefined>;
  /** Removes a revoked token from memory, so that its next use checks the store. While the store is down, that use is refused. */
  forget(id: string): void;
  /** The same for all tokens of an account. */
  forgetAccount(account: string): void;
}

interface TokenDirectoryDeps {
  readonly store: Pick<AccountStore, 'findToken'>;
  readonly onUse?: (account: string, token: string) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** While the store is up, a revoked token is refused within this time, even if the message of its revocation was lost. */
const TRUSTED_MS = 800;
const REMEMBERED = 10_000;

/** Known tokens stay valid while the store is down, but not those whose revocation is known. */
export function createTokenDirectory({ store, onUse, now }: TokenDirectoryDeps): TokenDirectory {
  const known = new RecentMap<{ id: string; label: string; account: string; trustedUntilMs: number }>(REMEMBERED);
  const findByHash = async (tokenHash: string): Promise<string | undefined> => {
    const account = await lookUp(tokenHash);
    const token = known.get(tokenHash);
    if (token !== undefined) onUse?.(token.account, token.id);
    return account;
  };
  const identifyByHash: TokenDirectory['identifyByHash'] = async (tokenHash) => {
    const account = await findByHash(tokenHash);
    if (account === undefined) return undefined;
    const { label = '', id = '' } = known.get(tokenHash) ?? {};
    return { account, name: label === '' ? id : label };
  };
  const lookUp = async (tokenHash: string): Promise<string | undefined> => {
    const entry = known.get(tokenHash);
    if (entry !== undefined && now() < entry.trustedUntilMs) return entry.account;
    const trustedUntilMs = now() + TRUSTED_MS;
    try {
      const found = await store.findToken(tokenHash);
      if (found === undefined) known.delete(tokenHash);
      else known.set(tokenHash, { id: found.id, label: found.label, account: found.account, trustedUntilMs });
      return found?.account;
    } catch (error) {
      if (entry === undefined || !(error instanceof StoreUnavailableError)) throw error;
      entry.trustedUntilMs = now() + TRUSTED_MS;
      return entry.account;
    }
  };
  const forgetAll = (isMeant: (entry: { readonly id: string; readonly account: string }) => boolean): void => {
    for (const [tokenHash, entry] of known.entries()) if (isMeant(entry)) known.delete(tokenHash);
  };
  return {
    find: (token) => findByHash(hashToken(token)),
    identify: (token) => identifyByHash(hashToken(token)),
    identifyByHash,
    forget: (id) => forgetAll((entry) => entry.id === id),
    forgetAccount: (account) => forgetAll((entry) => entry.account === account),
  };
}
