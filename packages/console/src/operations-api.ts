import type {
  AccountDetails,
  DestinationView,
  Finding,
  OperationsReading,
  Overview,
  SearchResult,
} from '@mailhook/core';

/** What the operations overview reads. Its host implements it, for the admin API too. Rejects while Redis is away. */
export interface OverviewReadings {
  readonly readOperations: () => Promise<OperationsReading>;
  readonly accounts: {
    /** Rejects with a 404 for an unknown account. */
    find(id: string): Promise<AccountDetails>;
    /** By name, id or address. */
    search(text: string): Promise<SearchResult>;
    /** Names by id. Empty while the store is away. */
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  /** `most`: the maximum number of parked, paused and late destinations in the list, of each. */
  readonly overview: (most: number) => Promise<Overview>;
  /** What the api knows without Redis. Never rejects. */
  readonly ownFindings: () => Promise<readonly Finding[]>;
  /** `HTTPS_ONLY_DESTINATIONS`. */
  readonly isHttpsOnly: boolean;
}

/** What an operator's buttons do. All reject with the problem to show. */
export interface OverviewActions {
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
}
