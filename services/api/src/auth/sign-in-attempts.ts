import { coded } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { ProblemError } from '@mailhook/platform/http-server';
import { createTurns } from '../accounts/turns.ts';
import { clientKey } from './client-address.ts';
import { createProvenTokens } from './proven-tokens.ts';
import type { TokenKind } from './proven-tokens.ts';
import { createWindowCounter } from './window-counter.ts';

/** Limits failed sign-ins by client address (docs/decisions/0020). */
export interface SignInAttempts {
  /**
   * Resolves with the identity that `verify` finds. Undefined means a wrong token, and counts as a failure. After too
   * many failures from this address, every token is rejected with a 429 unless this address has proven it lately, at
   * the place where it belongs.
   */
  run<Identity>(attempt: SignInAttempt<Identity>): Promise<Identity | undefined>;
  /**
   * Whether this address has proven this producer token lately. Synchronous, for the hot path. The caller must have
   * checked the token.
   */
  isProven(address: string, tokenHash: string): boolean;
}

interface SignInAttempt<Identity> {
  /** See `client-address.ts`. */
  readonly address: string;
  /** What a token must be here. */
  readonly kind: TokenKind;
  readonly tokenHash: string;
  readonly verify: () => Promise<Identity | undefined> | Identity | undefined;
  /** Gets the identity if this replica does not know that the address has proven this token lately. */
  readonly onProven?: (identity: Identity) => void;
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

export function createSignInAttempts({ redis, prefix, windowS = WINDOW_S }: SignInAttemptsDeps): SignInAttempts {
  const failures = createWindowCounter({
    redis,
    prefix: `${prefix}:failed-sign-ins`,
    windowS,
    countsWithoutRedis: true,
  });
  const proven = createProvenTokens(redis, prefix);
  const inTurn = createTurns();
  return {
    async run({ address, kind, tokenHash, verify, onProven }) {
      const client = clientKey(address);
      const proof = proofOf(kind, client, tokenHash);
      const verified = async () => {
        const identity = await verify();
        if (identity !== undefined) {
          if (!proven.isKnown(proof)) onProven?.(identity);
          proven.note(proof);
        } else {
          proven.forget(proof);
          await failures.penalty(client);
        }
        return identity;
      };
      if (proven.isKnown(proof)) return verified();
      // One after the other, so that a burst cannot exceed the limit.
      return inTurn(client, async () => {
        const { consumedPoints, msBeforeNext } = await failures.penalty(client, 0);
        if (consumedPoints < FAILURES_MAX || (await proven.isKnownAnywhere(proof))) return verified();
        throw tooManyFailures(msBeforeNext);
      });
    },
    isProven: (address, tokenHash) => {
      const proof = proofOf('producer', clientKey(address), tokenHash);
      const isKnown = proven.isKnown(proof);
      if (isKnown) proven.note(proof);
      return isKnown;
    },
  };
}

const proofOf = (kind: TokenKind, client: string, tokenHash: string): string => `${kind} ${client} ${tokenHash}`;

const tooManyFailures = (leftMs: number): ProblemError =>
  new ProblemError('rate_limited', {
    detail: coded('many-sign-ins'),
    reason: 'sign_in_blocked',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
