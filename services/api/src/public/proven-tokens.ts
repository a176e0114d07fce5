import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { RecentMap } from '../accounts/recent-map.ts';

/** Which client address has proven which token lately. Kept are digests. */
export interface ProvenTokens {
  /** Whether this replica knows it. */
  readonly isKnown: (address: string, tokenHash: string) => boolean;
  /** As `isKnown`, and notes the use where it does. One lookup, for the hot path; the caller has verified the token. */
  readonly isKnownInUse: (address: string, tokenHash: string) => boolean;
  /** Whether any replica does, this one before its restart included. False while Redis is away. */
  readonly isKnownAnywhere: (address: string, tokenHash: string) => Promise<boolean>;
  /** The address sent this token, and the token was good. */
  readonly note: (address: string, tokenHash: string) => void;
  /** The token is no longer good. */
  readonly forget: (address: string, tokenHash: string) => void;
}

/** A proven token stays so for this long after its last use. */
const PROVEN_MS = 15 * 60_000;
/** Redis hears of a token in use this often. */
const NOTED_EVERY_MS = 5 * 60_000;
const ADDRESSES = 10_000;
const TOKENS_OF_AN_ADDRESS = 1000;

export function createProvenTokens(redis: Redis, prefix: string): ProvenTokens {
  // Two levels: to join the keys would cost more than both lookups.
  const notedMs = new RecentMap<RecentMap<number>>(ADDRESSES);
  const keyOf = (address: string, tokenHash: string): string =>
    `${prefix}:proven-sign-ins:${hash('sha256', `${address} ${tokenHash}`, 'base64url')}`;
  const ageMs = (address: string, tokenHash: string): number =>
    performance.now() - (notedMs.get(address)?.get(tokenHash) ?? Number.NEGATIVE_INFINITY);
  const note = (address: string, tokenHash: string): void => {
    const tokens = notedMs.get(address) ?? new RecentMap<number>(TOKENS_OF_AN_ADDRESS);
    notedMs.set(address, tokens);
    tokens.set(tokenHash, performance.now());
    redis.set(keyOf(address, tokenHash), 1, 'PX', PROVEN_MS).catch(() => undefined);
  };
  return {
    isKnown: (address, tokenHash) => ageMs(address, tokenHash) < PROVEN_MS,
    isKnownAnywhere: (address, tokenHash) =>
      redis.exists(keyOf(address, tokenHash)).then(
        (found) => found === 1,
        () => false,
      ),
    isKnownInUse: (address, tokenHash) => {
      const age = ageMs(address, tokenHash);
      if (age >= PROVEN_MS) return false;
      if (age >= NOTED_EVERY_MS) note(address, tokenHash);
      return true;
    },
    note: (address, tokenHash) => {
      if (ageMs(address, tokenHash) >= NOTED_EVERY_MS) note(address, tokenHash);
    },
    forget: (address, tokenHash) => {
      const tokens = notedMs.get(address);
      if (tokens?.get(tokenHash) === undefined) return;
      tokens.delete(tokenHash);
      redis.del(keyOf(address, tokenHash)).catch(() => undefined);
    },
  };
}
