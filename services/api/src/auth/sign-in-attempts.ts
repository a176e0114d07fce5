import type { Redis } from '@mailhook/platform/redis';
import { ProblemError } from '@mailhook/platform/http-server';
import { RecentMap } from '../accounts/recent-map.ts';
import { clientKey } from './client-address.ts';
import { createProvenTokens } from './proven-tokens.ts';
import type { TokenKind } from './proven-tokens.ts';
import type { WindowCount } from './window-counter.ts';
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
  /** Failures are counted for this long. */
  readonly windowMs?: number;
}

const FAILURES_MAX = 60;
const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

export function createSignInAttempts({ redis, prefix, windowMs = WINDOW_MS }: SignInAttemptsDeps): SignInAttempts {
  const counter = createWindowCounter({ redis, prefix: `${prefix}:failed-sign-ins:`, windowMs });
  const provenTokens = (kind: TokenKind) => createProvenTokens(redis, prefix, kind);
  const provenOf = {
    customer: provenTokens('customer'),
    producer: provenTokens('producer'),
    operator: provenTokens('operator'),
  };
  const failuresOf = remembered(() => new AddressFailures(windowMs));
  return {
    async run({ address, kind, tokenHash, verify, onProven }) {
      const proven = provenOf[kind];
      const key = clientKey(address);
      const failures = failuresOf(key);
      const verified = async () => {
        const identity = await verify();
        if (identity !== undefined) {
          if (!proven.isKnown(key, tokenHash)) onProven?.(identity);
          proven.note(key, tokenHash);
        } else {
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
    isProven: (address, tokenHash) => provenOf.producer.isKnownInUse(clientKey(address), tokenHash),
  };
}

function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const values = new RecentMap<Value>(REMEMBERED);
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    values.set(key, value);
    return value;
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

  /** A window that has ended counts nothing. */
  get #current(): number {
    return performance.now() < this.#endsMs ? this.#count : 0;
  }

  get areTooMany(): boolean {
    return this.#current >= FAILURES_MAX;
  }

  get leftMs(): number {
    return this.#endsMs - performance.now();
  }

  add(): void {
    const before = this.#current;
    if (before === 0) this.#endsMs = performance.now() + this.#windowMs;
    this.#count = before + 1;
  }

  /** Adopts the count of all replicas if it is higher. Does nothing while Redis is down. */
  async share(counted: Promise<WindowCount>): Promise<void> {
    const { count, leftMs } = await counted.catch(() => ({ count: 0, leftMs: 0 }));
    if (this.areTooMany || count <= this.#current) return;
    this.#count = count;
    this.#endsMs = performance.now() + leftMs;
  }

  /** Keeps failures and tokens in verification within the limit together, so that a burst cannot exceed it. */
  async takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    while (!this.areTooMany && this.#current + this.#verifying >= FAILURES_MAX) {
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
    reason: 'sign_in_blocked',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
