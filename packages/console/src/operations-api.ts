import type { Account, DeadLetter, DestinationView, Overview } from '@mailhook/core';
import type { DiskTask, RedisFinding } from '@mailhook/platform/redis';

/** An account as operators see it. */
export interface AccountRow {
  readonly id: string;
  /** Null if the account is unknown, or while the store is away. */
  readonly name: string | null;
  readonly events: number;
  readonly bytes: number;
  readonly deadLetters: number;
  /** Events delivered and attempts failed in the last 24 hours. */
  readonly delivered: number;
  readonly failed: number;
  /** The larger share of its two limits. Above 1, its events are refused. */
  readonly share: number;
}

export interface AccountDetails extends AccountRow {
  readonly limits: { readonly events: number; readonly bytes: number };
  /** The campaign webhook first. */
  readonly destinations: readonly DestinationView[];
}

export interface SearchResult {
  readonly accounts: readonly Account[];
  readonly destinations: readonly DestinationView[];
  /** False if there may be more matches. */
  readonly isComplete: boolean;
}

/** Something that needs an operator. */
export interface Finding {
  /** `bad`: events are stuck, refused or at risk. `warn`: this may come, or a person wanted it. */
  readonly tone: 'bad' | 'warn';
  /** What happens, and what to do. */
  readonly text: string;
  /** The alert whose condition holds, if one has this condition. */
  readonly alert?: string;
  /** Where to look: a path or a fragment of the overview page. */
  readonly href?: string;
}

/** What the installation lacks, or may soon lack. Times are ISO 8601. */
export interface InstallationReport {
  readonly intake: { readonly refusingSince: string | null; readonly reason: string | null };
  /** Null if Redis forbids `INFO`. */
  readonly redis: {
    readonly memory: {
      readonly usedBytes: number;
      readonly limitBytes: number | null;
      readonly headroom: number;
      readonly refusesBelow: number;
    };
    readonly disk: {
      readonly failing: readonly DiskTask[];
      readonly fileBytes: number;
      readonly freeBytes: number | null;
    };
    readonly version: string;
    readonly policy: string;
    readonly appendonly: string;
    readonly appendfsync: string;
    readonly replicas: number;
    readonly clockSkewMs: number;
  } | null;
  readonly redisFindings: readonly RedisFinding[];
  /** Null if Redis forbids `INFO`. */
  readonly scripts: {
    readonly calls: number;
    readonly meanMs: number;
    readonly p99Ms: number | null;
    readonly slow: readonly { readonly script: string; readonly tookMs: number; readonly at: string }[];
  } | null;
  readonly queues: readonly ({ readonly queue: string } & Readonly<
    Record<'waiting' | 'active' | 'delayed' | 'failed' | 'paused', number>
  >)[];
}

export interface OperationsReport extends Overview {
  /** The worst first. Empty if nothing needs an operator. */
  readonly findings: readonly Finding[];
  /** Alerts that only Prometheus can judge, with the reason. */
  readonly unjudgedAlerts: Readonly<Record<string, string>>;
  readonly installation: InstallationReport;
  /** Those nearest to a limit first. */
  readonly accounts: readonly AccountRow[];
}

export interface OperationsReading {
  readonly report: OperationsReport;
  /** The newest dead letters. */
  readonly deadLetters: readonly (DeadLetter & { readonly account: string })[];
  /** Names by account id, of all accounts in the report. Empty while the store is away. */
  readonly names: ReadonlyMap<string, string>;
}

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
