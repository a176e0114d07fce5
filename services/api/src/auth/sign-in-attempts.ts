import { LRUCache } from 'lru-cache';
import { coded } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { ProblemError } from '@mailhook/platform/http-server';
import { createTurns } from '../accounts/turns.ts';
import { clientKey } from './client-address.ts';
import { createWindowCounter } from './window-counter.ts';

/** Limits failed sign-ins by client address (docs/decisions/0020). */
export interface SignInAttempts {
  /**
   * Resolves with the identity that `verify` finds, however many sign-ins failed. Undefined means a wrong token, and
   * counts as a failure. After too many failures from this address, a wrong token is rejected with a 429.
   */
  run<Identity>(attempt: SignInAttempt<Identity>): Promise<Identity | undefined>;
  /** Whether this address has used this producer token lately. Synchronous, for the hot path. */
  isInUse(address: string, tokenHash: string): boolean;
}

/** What a token is for. */
export type TokenKind = 'customer' | 'producer' | 'operator';

interface SignInAttempt<Identity> {
  /** See `client-address.ts`. */
  readonly address: string;
  /** What a token must be here. */
  readonly kind: TokenKind;
  readonly tokenHash: string;
  readonly verify: () => Promise<Identity | undefined> | Identity | undefined;
  /** Gets the identity if this replica does not know that the address has used this token lately. */
  readonly onFirstUse?: (identity: Identity) => void;
}

interface SignInAttemptsDeps {
  /** Shared by all replicas. While Redis is down, each replica counts alone. */
  readonly redis: Redis;
  readonly prefix: string;
  /** Failures are counted for this time. */
  readonly windowS?: number;
}

const FAILURES_MAX = 60;
const WINDOW_S = 60;
/** Without requests for this time, an address no longer uses a token. */
const IN_USE_MS = 15 * 60_000;
const REMEMBERED = 20_000;

export function createSignInAttempts({ redis, prefix, windowS = WINDOW_S }: SignInAttemptsDeps): SignInAttempts {
  const failures = createWindowCounter({
    redis,
    prefix: `${prefix}:failed-sign-ins`,
    windowS,
    countsWithoutRedis: true,
  });
  const inUse = new LRUCache<string, true>({ max: REMEMBERED, ttl: IN_USE_MS, updateAgeOnGet: true });
  const overLimit = new LRUCache<string, true>({ max: REMEMBERED });
  const inTurn = createTurns();
  return {
    async run({ address, kind, tokenHash, verify, onFirstUse }) {
      const client = clientKey(address);
      const use = useOf(kind, client, tokenHash);
      const isKnown = inUse.get(use) === true;
      // A flood of guesses makes one lookup at a time.
      const identity = isKnown || !overLimit.has(client) ? await verify() : await inTurn(client, async () => verify());
      if (identity !== undefined) {
        inUse.set(use, true);
        if (!isKnown) onFirstUse?.(identity);
        return identity;
      }
      inUse.delete(use);
      const { consumedPoints, msBeforeNext } = await failures.penalty(client);
      if (consumedPoints <= FAILURES_MAX) return undefined;
      overLimit.set(client, true, { ttl: Math.max(1, msBeforeNext) });
      throw tooManyFailures(msBeforeNext);
    },
    isInUse: (address, tokenHash) => inUse.get(useOf('producer', clientKey(address), tokenHash)) === true,
  };
}

const useOf = (kind: TokenKind, client: string, tokenHash: string): string => `${kind} ${client} ${tokenHash}`;

const tooManyFailures = (leftMs: number): ProblemError =>
  new ProblemError('rate_limited', {
    detail: coded('many-sign-ins'),
    reason: 'sign_in_blocked',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
