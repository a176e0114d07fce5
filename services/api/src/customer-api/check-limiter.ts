import { coded } from '@mailhook/core';
import type { CodedText } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { ProblemError } from '@mailhook/platform/http-server';
import { withLock } from '@mailhook/platform/redis';
import { createWindowCounter } from '../auth/window-counter.ts';

/**
 * Limits how often an account makes Mailhook send requests to addresses that it chooses, which may be servers of
 * strangers.
 */
export interface RequestLimiter {
  /** Runs `work` if it is the account's turn. Otherwise rejects with a 429 and `Retry-After`. */
  run<Result>(account: string, work: () => Promise<Result>): Promise<Result>;
}

interface LimiterDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
}

interface CheckLimiterDeps extends LimiterDeps {
  /** No check takes longer. The turn of a process that died is free again after this time. */
  readonly longestMs: number;
}

const WINDOW_S = 60;
/** A check is up to six requests. */
const CHECKS_PER_MINUTE = 6;
/** A test is one request, and people repeat it often while they write a receiver. */
const TESTS_PER_MINUTE = 60;
const BUSY_RETRY_SECONDS = 10;

/** Turns of receiver checks. Each account has one at a time, and up to six per minute. */
export function createCheckLimiter({ redis, prefix, longestMs }: CheckLimiterDeps): RequestLimiter {
  const counter = createWindowCounter({ redis, prefix: `${prefix}:receiver-checks`, windowS: WINDOW_S });
  return {
    async run(account, work) {
      const key = `${prefix}:receiver-check:${account}`;
      const done = await withLock(redis, { key, forMs: longestMs }, async () => {
        const { consumedPoints, msBeforeNext } = await counter.penalty(account);
        if (consumedPoints > CHECKS_PER_MINUTE) throw tooMany(TOO_MANY_CHECKS, msBeforeNext / 1000);
        return work();
      });
      if (done === undefined) throw tooMany(coded('check-running'), BUSY_RETRY_SECONDS);
      return done.result;
    },
  };
}

/** Turns of connection tests and test notifications. Each account has up to sixty per minute. */
export function createTestLimiter({ redis, prefix }: LimiterDeps): RequestLimiter {
  const counter = createWindowCounter({ redis, prefix: `${prefix}:receiver-tests`, windowS: WINDOW_S });
  return {
    async run(account, work) {
      const { consumedPoints, msBeforeNext } = await counter.penalty(account);
      if (consumedPoints > TESTS_PER_MINUTE) throw tooMany(TOO_MANY_TESTS, msBeforeNext / 1000);
      return work();
    },
  };
}

const TOO_MANY_CHECKS = coded('many-checks');
const TOO_MANY_TESTS = coded('many-tests', { count: TESTS_PER_MINUTE });

const tooMany = (detail: CodedText, retryAfterSeconds: number): ProblemError =>
  new ProblemError('rate_limited', {
    detail,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
