import type { Redis } from '@mailhook/platform/redis';
import { ipKeyGenerator } from 'express-rate-limit';
import { ProblemError } from '@mailhook/platform/http-server';
import { RecentMap } from '../accounts/recent-map.ts';
import { createProvenTokens } from './proven-tokens.ts';
import type { WindowCount } from './window-counter.ts';
import { createWindowCounter } from './window-counter.ts';

/** Limits failed sign-ins by client address (docs/decisions/0020). */
export interface SignInAttempts {
  /**
   * Resolves with what `verify` makes of the token; undefined: it is a wrong one, and counts as a failure. After too many failures from this
   * address it rejects with a 429, whatever the token is, unless this address has proven the same token lately.
   */
  run<Identity>(
    address: string | undefined,
    tokenHash: string,
    verify: () => Promise<Identity | undefined>,
  ): Promise<Identity | undefined>;
  /** Whether this address has proven this token lately. At once, for the hot path; the caller has checked the token. */
  isProven(address: string, tokenHash: string): boolean;
}

interface SignInAttemptsDeps {
  /** Shared by all replicas. While it is away, each replica counts alone. */
  readonly redis: Redis;
  readonly prefix: string;
  /** Failures are counted for this long. */
  readonly windowMs?: number;
}

const FAILURES_MAX = 60;
const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

export function createSignInAttempts({ redis, prefix, windowMs = WINDOW_MS }: SignInAttemptsDeps): SignInAttempts {
  const counter = createWindowCounter({ redis, prefix: `${prefix}:failed-sign-ins:`, windowMs });
  const proven = createProvenTokens(redis, prefix);
  const byAddress = new RecentMap<AddressFailures>(REMEMBERED);
  const keys = new RecentMap<string>(REMEMBERED);
  /** The network of an IPv6 address: one client may own all of it. Remembered, because finding it takes longer than the rest of a sign-in. */
  const keyOf = (address: string): string => {
    const known = keys.get(address);
    if (known !== undefined) return known;
    const key = ipKeyGenerator(address);
    keys.set(address, key);
    return key;
  };
  const failuresOf = (key: string): AddressFailures => {
    const known = byAddress.get(key);
    if (known !== undefined) return known;
    const failures = new AddressFailures(windowMs);
    byAddress.set(key, failures);
    return failures;
  };
  return {
    async run(address = 'unknown', tokenHash, verify) {
      const key = keyOf(address);
      const failures = failuresOf(key);
      const verified = async () => {
        const identity = await verify();
        if (identity !== undefined) proven.note(key, tokenHash);
        else {
          proven.forget(key, tokenHash);
          failures.add();
          await failures.share(counter.increment(key));
        }
        return identity;
      };
      if (proven.isKnown(key, tokenHash)) return verified();
      return failures.takeTurn(async () => {
        if (!failures.areTooMany) await failures.share(counter.read(key));
        if (!failures.areTooMany || (await proven.isKnownAnywhere(key, tokenHash))) return verified();
        throw tooManyFailures(failures.leftMs);
      });
    },
    isProven: (address, tokenHash) => proven.isKnownInUse(keyOf(address), tokenHash),
  };
}

/** The failures of one address in the current window, as this replica knows them. */
class AddressFailures {
  readonly #windowMs: number;
  #count = 0;
  #endsMs = 0;
  #verifying = 0;
  #waiting: (() => void)[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get areTooMany(): boolean {
    if (performance.now() >= this.#endsMs) this.#count = 0;
    return this.#count >= FAILURES_MAX;
  }

  get leftMs(): number {
    return this.#endsMs - performance.now();
  }

  add(): void {
    if (!this.areTooMany && this.#count === 0) this.#endsMs = performance.now() + this.#windowMs;
    this.#count += 1;
  }

  /** Takes over what all replicas have counted; nothing while Redis is away. */
  async share(counted: Promise<WindowCount>): Promise<void> {
    const { count, leftMs } = await counted.catch(() => ({ count: 0, leftMs: 0 }));
    if (this.areTooMany || count <= this.#count) return;
    this.#count = count;
    this.#endsMs = performance.now() + leftMs;
  }

  /** Tokens in verification and failures together stay within the limit: a burst must not run ahead of its own count. */
  async takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    while (!this.areTooMany && this.#count + this.#verifying >= FAILURES_MAX) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#verifying += 1;
    try {
      return await work();
    } finally {
      this.#verifying -= 1;
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }
}

const tooManyFailures = (leftMs: number): ProblemError =>
  new ProblemError('rate_limited', {
    detail: 'Too many failed sign-ins from this address. Check the access token and try again in a minute.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
