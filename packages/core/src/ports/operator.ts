import type { z } from 'zod';
import type { Access, accountInput, createdToken, PortalInput, producerTokenInput } from '../contracts/account.ts';
import type {
  DeadLetter,
  DeadLetterGroups,
  DeadLetterListFilter,
  DeadLetterSummary,
  DeliveryAttempt,
  RedriveResult,
} from '../contracts/delivery.ts';
import type { DestinationHistory } from '../contracts/history.ts';
import type {
  AccountDetails,
  AccountRow,
  Finding,
  InstallationReport,
  ListedAccount,
  OperationsReading,
  SearchResult,
} from '../contracts/operations-report.ts';
import type { deadLetterFilter, discardInput, dropInput, operatorPauseInput } from '../contracts/operator.ts';
import type { DestinationView, Overview } from '../contracts/overview.ts';
import type { ShownDestination } from '../domain/shown-destination.ts';
import type { Page, PageQuery } from '../contracts/page.ts';
import type { AccessTokens, ListedToken } from './access.ts';
import type { AuditLog, Operator } from './audit.ts';
import type { AccountPage, StoredDeletion } from './store.ts';

export interface ListedProducerToken extends ListedToken {
  /** Null: it may send events for all accounts. */
  readonly accounts: readonly string[] | null;
  readonly createdAt: string | null;
}

/** An admin token, without the token. */
export interface ListedAdminToken {
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

export interface DeletionProgress extends Omit<StoredDeletion, 'destinations'> {
  readonly remaining: { readonly events: number; readonly deadLetters: number };
}

/** An attempt without what its request and its reply held. */
type ShownAttempt = Pick<
  DeliveryAttempt,
  'id' | 'time' | 'events' | 'attempt' | 'status' | 'httpStatus' | 'durationMs'
>;

export interface RecentAttempts {
  /** Newest first. */
  readonly attempts: readonly ShownAttempt[];
  readonly history: DestinationHistory;
  readonly deadlineMs: number;
}

interface OptionalPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** What names of endpoints are kept by, beside those of accounts, whose ids have no space. */
export const endpointKey = (destination: string): string => `endpoint ${destination}`;
/** The same for the types that they get, with commas. */
export const typesKey = (destination: string): string => `types ${destination}`;

/**
 * Everything that an operator can do, for the admin API and the pages of operators alike, with checked input. Methods
 * reject with a ProblemError, and while Redis is away.
 */
export interface OperatorServices {
  readonly readOperations: () => Promise<OperationsReading>;
  /** `most`: the maximum number of parked, paused and late destinations in the list, of each. */
  readonly overview: (most?: number) => Promise<Overview>;
  /** The last minutes, oldest first, with the current one. */
  readonly trends: { read(minutes: number, nowMs: number): Promise<readonly Trend[]> };
  /** What the api knows without Redis. Never rejects. */
  readonly ownState: () => Promise<Pick<InstallationReport, 'intake'> & { readonly findings: readonly Finding[] }>;
  /** `HTTPS_ONLY_DESTINATIONS`. */
  readonly isHttpsOnly: boolean;
  readonly accounts: {
    /** The accounts with the most events or bytes, those nearest to a limit first. */
    heaviest(): Promise<readonly AccountRow[]>;
    /** Newest first. With `prefix`, a page may have few accounts, although more follow. */
    list(page: AccountPage): Promise<OptionalPage<ListedAccount>>;
    /**
     * Names of accounts by their id, of their endpoints by `endpointKey`, and the types of those by `typesKey`. Empty
     * while the store is away.
     */
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
    /** Rejects with a 404 for an unknown account. */
    find(id: string): Promise<AccountDetails>;
    /** What the customer has set for a destination. Undefined if the account has none, and while the store is away. */
    settingsOf(account: string, destination: string): Promise<ShownDestination | undefined>;
    /** Finds accounts and destinations by a part of a name or address, or the beginning of an id. */
    search(text: string): Promise<SearchResult>;
  };
  readonly accountChanges: {
    create(input: z.infer<typeof accountInput>): Promise<{ readonly id: string; readonly name: string }>;
    startDeletion(id: string): Promise<DeletionProgress>;
  };
  readonly lists: {
    list(state: 'parked' | 'paused' | 'waiting', page: PageQuery): Promise<Page<DestinationView>>;
  };
  /** Actions resolve with the destination's new state. They reject with a 409 that explains the conflict. */
  readonly destinations: {
    find(id: string): Promise<DestinationView>;
    probe(id: string): Promise<DestinationView>;
    /** Sends all resends as fast as the receiver takes them, instead of at their scheduled times. */
    sendNow(id: string): Promise<DestinationView>;
    pause(id: string, input: z.infer<typeof operatorPauseInput>): Promise<DestinationView>;
    /** Its newest attempts and its last 24 hours, as its customer sees them. Without replies and recipients. */
    recent(account: string, id: string): Promise<RecentAttempts>;
    /** Does nothing if the destination is not paused. */
    resume(id: string): Promise<DestinationView>;
    /** Gives up the waiting events. Does nothing if there are none. */
    drop(id: string, input: z.infer<typeof dropInput>): Promise<DestinationView>;
  };
  readonly deadLetters: {
    /** Newest first. */
    list(filter: object, page: PageQuery): Promise<Page<DeadLetter & { readonly account: string }>>;
    /** The newest dead letters of an account by cause and destination. `most`: about how many are counted. */
    groups(account: string, filter: DeadLetterListFilter, most?: number): Promise<DeadLetterGroups>;
    /** How many dead letters the account has, and what became of those that were redriven. */
    summary(account: string): Promise<DeadLetterSummary>;
    /** `groups`: ids of groups of the account. `sinceMs`: a stop since this `redriveTime` also stops this run. */
    redrive(
      filter: z.infer<typeof deadLetterFilter> & { readonly groups?: readonly string[] | undefined },
      sinceMs?: number,
    ): Promise<RedriveResult>;
    redriveTime(account: string): Promise<number>;
    /** Stops the runs of an account that have begun. What they have not redriven yet stays. */
    stopRedrive(account: string): Promise<void>;
    isStoppedSince(account: string, sinceMs: number): Promise<boolean>;
  };
  /** Deletes dead letters permanently. Resolves with the number of dead letters and of their events. */
  readonly discard: (
    selection: z.infer<typeof discardInput> & { readonly groups?: readonly string[] | undefined },
  ) => Promise<{ readonly discarded: number; readonly events: number }>;
  /** The access tokens of customers. */
  readonly tokens: AccessTokens;
  /** The tokens of producers, so that one can be replaced without a gap. */
  readonly producerTokens: {
    /** Oldest first, after the one from the environment. */
    list(): Promise<readonly ListedProducerToken[]>;
    create(input: z.infer<typeof producerTokenInput>): Promise<z.infer<typeof createdToken>>;
    remove(id: string): Promise<void>;
  };
  readonly adminTokens: () => Promise<readonly ListedAdminToken[]>;
  /** Gives a platform's customer access to the settings page, and takes it away. */
  readonly portal: {
    /**
     * @param caller `calledAt`: the address of this machine at which the caller has reached it. `operator`: who opens
     *   the account as its customer.
     */
    createLink(
      account: string,
      input: PortalInput,
      caller: { readonly calledAt: string | undefined; readonly operator?: Operator },
    ): Promise<{ readonly url: string; readonly expiresAt: string; readonly access: Access }>;
    /** Ends the sessions that links have opened, and revokes unused links. */
    revoke(account: string): Promise<void>;
  };
  readonly audit: Pick<AuditLog, 'list'>;
}
