import { StoreUnavailableError } from '@mailhook/core';
import type { Store, StoredProducerToken } from '@mailhook/core';
import { hasExpired, hashToken } from './tokens.ts';

/** What a producer token allows. */
export interface Producer {
  /** The token's id, or `ENVIRONMENT_TOKEN`. */
  readonly token: string;
  /** The accounts for which it may send events, or null for all. */
  readonly accounts: ReadonlySet<string> | null;
}

/** Id of the token in `PRODUCER_TOKEN`. */
export const ENVIRONMENT_TOKEN = 'environment';

export interface ProducerTokens {
  /** Reads the store. Resolves even if it is down. */
  load(): Promise<void>;
  /** Rejects with StoreUnavailableError if the store is down and was never read. */
  find(token: string): Promise<Producer | undefined>;
  /** The same without waiting. Undefined for a wrong token, and if the store must be read first. */
  findNow(token: string): Producer | undefined;
  /** Tokens were created or revoked. The next use reads the store. */
  forget(): void;
  /** `PRODUCER_TOKEN` has changed. The token before is refused at once. */
  replaceEnvironmentToken(token: string): void;
}

interface ProducerTokensDeps {
  readonly store: Pick<Store, 'listProducerTokens'>;
  readonly environmentToken: string;
  readonly onUse: (token: string) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * While the store is up, a revoked token is refused within this time, even if the message of its revocation was lost.
 */
const TRUSTED_MS = 800;

/**
 * Keeps all producer tokens in memory, because there are few and every request of a producer needs one. They stay valid
 * while the store is down.
 */
export function createProducerTokens({ store, environmentToken, onUse, now }: ProducerTokensDeps): ProducerTokens {
  const environment = { hash: hashToken(environmentToken), producer: { token: ENVIRONMENT_TOKEN, accounts: null } };
  let known: ReadonlyMap<string, { readonly producer: Producer; readonly expiresAt: string | null }> | undefined;
  let trustedUntilMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  let changes = 0;
  const read = async (): Promise<void> => {
    let earlierChanges: number;
    do {
      earlierChanges = changes;
      const untilMs = now() + TRUSTED_MS;
      try {
        known = new Map((await store.listProducerTokens()).map((stored) => [stored.tokenHash, knownOf(stored)]));
      } catch (error) {
        if (known === undefined || !(error instanceof StoreUnavailableError)) throw error;
      }
      trustedUntilMs = untilMs;
      // A change may have overtaken the reading.
    } while (changes !== earlierChanges);
  };
  const refresh = (): Promise<void> => (reading ??= read().finally(() => (reading = undefined)));
  const lookUp = (hash: string): Producer | undefined => {
    if (hash === environment.hash) return environment.producer;
    const found = known?.get(hash);
    return found === undefined || hasExpired(found) ? undefined : found.producer;
  };
  const used = (producer: Producer | undefined): Producer | undefined => {
    if (producer !== undefined) onUse(producer.token);
    return producer;
  };
  return {
    load: () => refresh().catch(() => undefined),
    async find(token) {
      const hash = hashToken(token);
      if (hash !== environment.hash && now() >= trustedUntilMs) await refresh();
      return used(lookUp(hash));
    },
    findNow(token) {
      const hash = hashToken(token);
      if (hash === environment.hash) return used(environment.producer);
      if (known?.has(hash) !== true) return undefined;
      // A busy producer renews the list in time, so that its requests need not wait for the store.
      if (now() >= trustedUntilMs - TRUSTED_MS / 2) refresh().catch(() => undefined);
      return now() < trustedUntilMs ? used(lookUp(hash)) : undefined;
    },
    replaceEnvironmentToken: (token) => {
      environment.hash = hashToken(token);
    },
    forget: () => {
      changes += 1;
      trustedUntilMs = Number.NEGATIVE_INFINITY;
    },
  };
}

const knownOf = ({ id, accounts, expiresAt }: StoredProducerToken) => ({
  producer: { token: id, accounts: accounts === null ? null : new Set(accounts) },
  expiresAt,
});
