import type {
  Access,
  AccountDetails,
  DeadLetter,
  DestinationView,
  Finding,
  ListedAccount,
  OperationsReading,
  Overview,
  Page,
  PageQuery,
  SearchResult,
} from '@mailhook/core';
import type { Operator } from './audit.ts';

export interface ListedToken {
  readonly id: string;
  readonly label: string;
  readonly expiresAt: string | null;
  /** Null if it was never used. */
  readonly lastUsedAt: string | null;
}

/** Of a customer. */
export interface ListedAccessToken extends ListedToken {
  readonly access: Access;
}

export interface ListedProducerToken extends ListedToken {
  /** Null: it may send events for all accounts. */
  readonly accounts: readonly string[] | null;
}

/** An admin token, without the token. */
export interface ListedOperator {
  readonly label: string | undefined;
  readonly scope: 'admin' | 'read' | 'portal';
  readonly lastUsedAt: string | null;
}

/** A minute of the whole installation. */
export interface Trend {
  readonly fromMs: number;
  readonly accepted: number;
  readonly delivered: number;
  /** The age of the oldest undelivered event, in milliseconds. 0 without one. */
  readonly oldestMs: number;
  /** Undefined without a sample. */
  readonly usedBytes: number | undefined;
}

interface OptionalPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** What the operations pages read. Its host implements it, for the admin API too. Rejects while Redis is away. */
export interface OperationsReadings {
  readonly readOperations: () => Promise<OperationsReading>;
  readonly accounts: {
    list(page: PageQuery): Promise<OptionalPage<ListedAccount>>;
    /** Rejects with a 404 for an unknown account. */
    find(id: string): Promise<AccountDetails>;
    /** By name, id or address. */
    search(text: string): Promise<SearchResult>;
    /** Names by id. Empty while the store is away. */
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  /** `most`: the maximum number of parked, paused and late destinations in the list, of each. */
  readonly overview: (most: number) => Promise<Overview>;
  readonly lists: {
    list(state: 'parked' | 'paused' | 'waiting', page: PageQuery): Promise<Page<DestinationView>>;
  };
  readonly deadLetters: {
    list(filter: object, page: PageQuery): Promise<OptionalPage<DeadLetter & { readonly account: string }>>;
  };
  readonly tokens: { list(account: string): Promise<readonly ListedAccessToken[]> };
  readonly producerTokens: { list(): Promise<readonly ListedProducerToken[]> };
  readonly adminTokens: () => Promise<readonly ListedOperator[]>;
  /** The last minutes, oldest first, with the current one. */
  readonly trends: { read(minutes: number, nowMs: number): Promise<readonly Trend[]> };
  /** What the api knows without Redis. Never rejects. */
  readonly ownFindings: () => Promise<readonly Finding[]>;
  /** `HTTPS_ONLY_DESTINATIONS`. */
  readonly isHttpsOnly: boolean;
}

/** A new token, which nothing else shows. */
export interface NewToken {
  readonly id: string;
  readonly token: string;
}

/** What an operator's buttons do. All check what was typed, and reject with the problem to show. */
export interface OperationsActions {
  readonly destinations: {
    readonly find: (id: string) => Promise<DestinationView>;
    readonly probe: (id: string) => Promise<DestinationView>;
    readonly sendNow: (id: string) => Promise<DestinationView>;
    readonly pause: (id: string, input: unknown) => Promise<DestinationView>;
    readonly resume: (id: string) => Promise<DestinationView>;
    readonly drop: (id: string, input: unknown) => Promise<DestinationView>;
  };
  readonly deadLetters: {
    redrive(selection: {
      readonly account?: string | undefined;
      readonly destination?: string | undefined;
    }): Promise<unknown>;
  };
  readonly discard: (input: unknown) => Promise<unknown>;
  readonly accounts: {
    readonly create: (input: unknown) => Promise<{ readonly id: string }>;
    readonly remove: (id: string) => Promise<unknown>;
  };
  readonly tokens: {
    readonly create: (account: string, input: unknown) => Promise<NewToken>;
    readonly remove: (account: string, id: string) => Promise<void>;
  };
  readonly producerTokens: {
    readonly create: (input: unknown) => Promise<NewToken>;
    readonly remove: (id: string) => Promise<void>;
  };
  /**
   * A link with which an operator opens an account as its customer. `calledAt`: the address of this machine that the
   * browser has reached.
   */
  readonly portalLink: (
    account: string,
    input: unknown,
    caller: { readonly calledAt: string | undefined; readonly operator: Operator },
  ) => Promise<{ readonly url: string }>;
}
