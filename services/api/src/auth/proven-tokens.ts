import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Redis } from '@mailhook/platform/redis';

/** Remembers which client address has used which token lately, and for what. Redis keeps only digests. */
export interface ProvenTokens {
  /** Whether this replica knows the proof. */
  readonly isKnown: (proof: string) => boolean;
  /**
   * Whether Redis knows the proof, from any replica or from before a restart. Resolves with false while Redis is down.
   */
  readonly isKnownAnywhere: (proof: string) => Promise<boolean>;
  /** Notes that the address sent this valid token. */
  readonly note: (proof: string) => void;
  /** Forgets a token that is no longer valid. */
  readonly forget: (proof: string) => void;
}

/** A proof ends this long after it was last noted. */
const PROVEN_MS = 15 * 60_000;
/** The proof of a token in use is noted again this often. */
const NOTED_EVERY_MS = 5 * 60_000;
const REMEMBERED = 20_000;

/** What a token is for. A token that is sent to the wrong place keeps its proof for the right one. */
export type TokenKind = 'customer' | 'producer' | 'operator';

export function createProvenTokens(redis: Redis, prefix: string): ProvenTokens {
  const noted = new LRUCache<string, true>({ max: REMEMBERED, ttl: PROVEN_MS });
  const keyOf = (proof: string): string => `${prefix}:proven-sign-ins:${hash('sha256', proof, 'base64url')}`;
  return {
    isKnown: (proof) => noted.get(proof) === true,
    isKnownAnywhere: (proof) =>
      redis.exists(keyOf(proof)).then(
        (found) => found === 1,
        () => false,
      ),
    note: (proof) => {
      if (noted.getRemainingTTL(proof) > PROVEN_MS - NOTED_EVERY_MS) return;
      noted.set(proof, true);
      redis.set(keyOf(proof), 1, 'PX', PROVEN_MS).catch(() => undefined);
    },
    forget: (proof) => {
      if (noted.delete(proof)) redis.del(keyOf(proof)).catch(() => undefined);
    },
  };
}
