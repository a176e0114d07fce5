import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { RecentMap } from '../accounts/recent-map.ts';

/** Which client address has proven which token lately. What is kept is digests. */
export interface ProvenTokens {
  /** Whether this replica knows it. */
  isKnown(address: string, tokenHash: string): boolean;
  /** Whether any replica does, this one before its restart included. False while Redis is away. */
  isKnownAnywhere(address: string, tokenHash: string): Promise<boolean>;
  /** The address sent this token, and the token was good. */
  note(address: string, tokenHash: string): void;
  /** The token is no longer good. */
  forget(address: string, tokenHash: string): void;
}

/** A proven token stays so for this long after its last use. */
const PROVEN_MS = 15 * 60_000;
/** Redis hears of a token in use this often. */
const NOTED_EVERY_MS = 5 * 60_000;
const REMEMBERED = 10_000;

export function createProvenTokens(redis: Redis, prefix: string): ProvenTokens {
  const notedMs = new RecentMap<number>(REMEMBERED);
  const pairOf = (address: string, tokenHash: string): string => `${address} ${tokenHash}`;
  const keyOf = (pair: string): string => `${prefix}:proven-sign-ins:${hash('sha256', pair, 'base64url')}`;
  return {
    isKnown: (address, tokenHash) => {
      const lastMs = notedMs.get(pairOf(address, tokenHash));
      return lastMs !== undefined && performance.now() - lastMs < PROVEN_MS;
    },
    isKnownAnywhere: (address, tokenHash) =>
      redis.exists(keyOf(pairOf(address, tokenHash))).then(
        (found) => found === 1,
        () => false,
      ),
    note: (address, tokenHash) => {
      const pair = pairOf(address, tokenHash);
      const nowMs = performance.now();
      if (nowMs - (notedMs.get(pair) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY_MS) return;
      notedMs.set(pair, nowMs);
      redis.set(keyOf(pair), 1, 'PX', PROVEN_MS).catch(() => undefined);
    },
    forget: (address, tokenHash) => {
      const pair = pairOf(address, tokenHash);
      if (notedMs.get(pair) === undefined) return;
      notedMs.delete(pair);
      redis.del(keyOf(pair)).catch(() => undefined);
    },
  };
}
