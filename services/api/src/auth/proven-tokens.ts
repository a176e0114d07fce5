import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { RecentMap } from '../accounts/recent-map.ts';

/** Remembers which client address has proven which token lately. Keeps digests only. */
export interface ProvenTokens {
  /** Whether this replica knows the proof. */
  readonly isKnown: (address: string, tokenHash: string) => boolean;
  /** Like `isKnown`, and extends the proof. One lookup, for the hot path. The caller must have verified the token. */
  readonly isKnownInUse: (address: string, tokenHash: string) => boolean;
  /**
   * Whether Redis knows the proof, from any replica or from before a restart. Resolves with false while Redis is down.
   */
  readonly isKnownAnywhere: (address: string, tokenHash: string) => Promise<boolean>;
  /** Notes that the address sent this valid token. */
  readonly note: (address: string, tokenHash: string) => void;
  /** Forgets a token that is no longer valid. */
  readonly forget: (address: string, tokenHash: string) => void;
}

/** A proof ends this long after it was last noted. */
const PROVEN_MS = 15 * 60_000;
/** The proof of a token in use is noted again this often. */
const NOTED_EVERY_MS = 5 * 60_000;
const ADDRESSES = 10_000;
const TOKENS_OF_AN_ADDRESS = 1000;

/** What a token is for. A token that is sent to the wrong place keeps its proof for the right one. */
export type TokenKind = 'customer' | 'producer' | 'operator';

export function createProvenTokens(redis: Redis, prefix: string, kind: TokenKind): ProvenTokens {
  // Two levels of maps, because joining the keys would cost more than both lookups.
  const notedMs = new RecentMap<RecentMap<number>>(ADDRESSES);
  const keyOf = (address: string, tokenHash: string): string =>
    `${prefix}:proven-sign-ins:${hash('sha256', `${kind} ${address} ${tokenHash}`, 'base64url')}`;
  const ageMs = (address: string, tokenHash: string): number =>
    performance.now() - (notedMs.get(address)?.get(tokenHash) ?? Number.NEGATIVE_INFINITY);
  const write = (address: string, tokenHash: string): void => {
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
      if (age >= NOTED_EVERY_MS) write(address, tokenHash);
      return true;
    },
    note: (address, tokenHash) => {
      if (ageMs(address, tokenHash) >= NOTED_EVERY_MS) write(address, tokenHash);
    },
    forget: (address, tokenHash) => {
      const tokens = notedMs.get(address);
      if (tokens?.get(tokenHash) === undefined) return;
      tokens.delete(tokenHash);
      redis.del(keyOf(address, tokenHash)).catch(() => undefined);
    },
  };
}
