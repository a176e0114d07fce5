import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { coded } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { createTurns } from '../accounts/turns.ts';
import { createAccountLines } from './account-lines.ts';
import type { InLine } from './account-lines.ts';

/** Limits what one customer's requests cost this process, by token buckets in its memory (docs/decisions/0019). */
export interface RequestLimits {
  /**
   * Counts a request of an account, and of its caller: the name of an access token, or `settings page`. Sets the
   * headers `RateLimit` and `RateLimit-Policy`. Throws a 429 with `Retry-After` if either has none left.
   */
  admit(response: Response, account: string, caller: string): void;
  /** Runs what builds a view for the account, and counts it as requests by the CPU time that it took. */
  readonly inLine: InLine;
  /** Counts work of the account as this many requests. The account's next requests may have to wait for it. */
  charge(account: string, requests: number): void;
  /**
   * Runs the scanning reads of an account one after the other. Rejects with a 429 if the scans before used up the
   * account's requests. Scans with a different `line` do not wait for each other.
   */
  scan<Result>(account: string, work: () => Promise<Result>, line?: string): Promise<Result>;
}

interface RequestLimitsOptions {
  /** Requests per second of one caller. An account as a whole may make twice as many. */
  readonly perSecond: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** A bucket that was not used holds the requests of this time. */
const BURST_S = 20;
const ACCOUNT_FACTOR = 2;
const REMEMBERED = 10_000;
/** CPU time of the process that counts as one request. */
const REQUEST_MS = 5;

export function createRequestLimits({ perSecond, now }: RequestLimitsOptions): RequestLimits {
  const callers = createBuckets('token', perSecond, now);
  const accounts = createBuckets('account', perSecond * ACCOUNT_FACTOR, now);
  const policy = `${callers.policy}, ${accounts.policy}`;
  const inTurn = createTurns();
  return {
    admit(response, account, caller) {
      const buckets = [callers.of(`${account}\n${caller}`), accounts.of(account)];
      const empty = buckets.find((bucket) => bucket.left < 1);
      if (empty === undefined) for (const bucket of buckets) bucket.take(1);
      response.set('ratelimit-policy', policy);
      response.set('ratelimit', buckets.map((bucket) => bucket.state).join(', '));
      if (empty !== undefined) throw tooMany(empty);
    },
    inLine: createAccountLines({ onDone: (account, cpuMs) => accounts.of(account).take(cpuMs / REQUEST_MS) }),
    charge: (account, requests) => accounts.of(account).take(requests),
    scan: (account, work, line = '') =>
      inTurn(`${account}\n${line}`, () => {
        const bucket = accounts.of(account);
        if (bucket.left < 1) throw tooMany(bucket);
        return work();
      }),
  };
}

function createBuckets(name: 'token' | 'account', perSecond: number, now: () => number) {
  const buckets = new LRUCache<string, Bucket>({
    max: REMEMBERED,
    memoMethod: () => new Bucket(name, perSecond, now),
  });
  return {
    policy: `"${name}";q=${perSecond * BURST_S};w=${BURST_S}`,
    of: (key: string): Bucket => buckets.memo(key),
  };
}

/** Requests that are left. Fills up steadily, and may owe requests for work whose cost was known only afterwards. */
class Bucket {
  readonly name: 'token' | 'account';
  readonly perSecond: number;
  readonly #now: () => number;
  #left: number;
  #atMs: number;

  constructor(name: 'token' | 'account', perSecond: number, now: () => number) {
    this.name = name;
    this.perSecond = perSecond;
    this.#now = now;
    this.#left = this.#max;
    this.#atMs = now();
  }

  get #max(): number {
    return this.perSecond * BURST_S;
  }

  get left(): number {
    const nowMs = this.#now();
    this.#left = Math.min(this.#max, this.#left + ((nowMs - this.#atMs) / 1000) * this.perSecond);
    this.#atMs = nowMs;
    return this.#left;
  }

  /** Seconds until this many requests are left. */
  secondsUntil(requests: number): number {
    return Math.max(0, Math.ceil((requests - this.left) / this.perSecond));
  }

  /** An item of the header `RateLimit`: the requests that are left, and the seconds until the bucket is full. */
  get state(): string {
    return `"${this.name}";r=${Math.max(0, Math.floor(this.left))};t=${this.secondsUntil(this.#max)}`;
  }

  take(requests: number): void {
    this.#left = this.left - requests;
  }
}

const tooMany = (bucket: Bucket): ProblemError =>
  new ProblemError('rate_limited', {
    detail: coded(bucket.name === 'token' ? 'many-token-requests' : 'many-account-requests', { max: bucket.perSecond }),
    headers: { 'retry-after': String(Math.max(1, bucket.secondsUntil(1))) },
  });
