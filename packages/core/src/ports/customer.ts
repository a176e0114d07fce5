import type { z } from 'zod';
import type { createdSecret, rollInput, SigningSecret } from '../contracts/account.ts';
import type {
  AlertAddress,
  AlertAddressInput,
  AlertChoice,
  AlertTestResult,
  AlertWebhook,
  AlertWebhookInput,
} from '../contracts/alert.ts';
import type {
  CampaignWebhook,
  campaignTestInput,
  campaignWebhookInput,
  TestResult,
} from '../contracts/campaign-webhook.ts';
import type {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterGroups,
  DeadLetterListFilter,
  deadLettersQuery,
  DeadLetterSummary,
  deliveriesQuery,
  DeliveriesPage,
  DeliveryAttemptDetail,
  DiscardResult,
  EventQuery,
  EventTraces,
  ownDiscardInput,
  redriveInput,
  RedriveResult,
} from '../contracts/delivery.ts';
import type {
  DestinationInput,
  DestinationSettings,
  DestinationSettingsInput,
  DestinationTestInput,
} from '../contracts/destination-settings.ts';
import type {
  customerPauseInput,
  DestinationStatus,
  sendNowInput,
  SendNowResult,
} from '../contracts/destination-status.ts';
import type {
  LogEntry,
  LogPage,
  LogSearchInput,
  ReplayCount,
  ReplayInput,
  ReplayState,
} from '../contracts/event-log.ts';
import type { UnroutedType } from '../contracts/history.ts';
import type { Page } from '../contracts/page.ts';
import type { receiverCheckInput, ReceiverReport } from '../contracts/receiver-check.ts';
import type { AccessTokens } from './access.ts';
import type { AuditEntry, AuditListQuery } from './audit.ts';
import type { ShownDestination } from '../domain/shown-destination.ts';
import type { Subscription, subscriptionEdit, subscriptionInput } from '../contracts/subscription.ts';

type RollInput = z.infer<typeof rollInput>;

/** Whether a change may replace a record of this version. Another one is refused with OutdatedChangeError. */
export type IfVersion = (version: string) => boolean;

/**
 * `etag` is for a change that must replace these settings and no others. `headersEtag` changes with the headers alone,
 * and with their values too, which nobody sees.
 */
export interface VersionedSettings {
  readonly settings: DestinationSettings;
  readonly etag: string;
  readonly headersEtag: string;
}

export type Filtered = Pick<ShownDestination, 'module' | 'types' | 'filter'>;
export interface FilterTrial {
  readonly events: number;
  readonly passed: number;
}

/** A change of an account, for its customer. */
export type Change = Omit<AuditEntry, 'account'>;
export interface Changes {
  readonly items: readonly Change[];
  readonly nextCursor?: string;
}

export type DeadLetterPage = Page<DeadLetter> & DeadLetterSummary;

/** By the id of a dead letter. */
export type FirstEvents = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * Everything that an account can do, for the REST API and the settings page alike. Queries and bodies are checked by
 * the caller. A destination is its public id; that of another account is a 404. Methods reject
 * with a ProblemError or a StoreConflictError. A change calls `onUnchanged` if it changed nothing.
 */
export interface CustomerServices {
  /** The campaign webhook of the specification: the destination `campaign`. */
  readonly campaign: {
    read(account: string): Promise<CampaignWebhook>;
    /** Resolves with the new setting. */
    write(
      account: string,
      setting: z.infer<typeof campaignWebhookInput>,
      onUnchanged: () => void,
      ifVersion?: IfVersion,
    ): Promise<CampaignWebhook>;
    /** Runs the connection test, or sends a sample batch, to the given address, or else to the saved one. */
    test(account: string, input: z.infer<typeof campaignTestInput>): Promise<TestResult>;
  };
  /** The destinations that are subscriptions of the specification (`subscriptionOf`). */
  readonly subscriptions: {
    /** Oldest first. */
    list(account: string): Promise<Subscription[]>;
    read(account: string, id: string): Promise<Subscription>;
    /**
     * Rejects with StoreConflictError if the account has too many of this type. So does `edit`, when it changes the
     * type. Rejects with a 429 after 10,000 deletions. `duplicateOf`: an earlier subscription of the account with the
     * same address and type, which gets the same events.
     */
    create(
      account: string,
      input: z.infer<typeof subscriptionInput>,
    ): Promise<{ readonly id: string; readonly duplicateOf?: string | undefined }>;
    edit(
      account: string,
      id: string,
      change: z.infer<typeof subscriptionEdit>,
      onUnchanged: () => void,
      ifVersion?: IfVersion,
    ): Promise<void>;
    remove(account: string, id: string, ifVersion?: IfVersion): Promise<void>;
  };
  /**
   * Sends a sample notification to an address. `subscription`: id of the tested subscription. Without it, the test has
   * the login and the signature of the subscription with this address.
   */
  readonly notificationTest: (
    account: string,
    input: z.infer<typeof subscriptionInput>,
    subscription?: string,
  ) => Promise<TestResult>;
  /**
   * Checks a receiver against the whole protocol. `destination`: public id of the tested one, if it is known. Takes
   * up to six deadlines. Refuses an address that may not be saved (422). Each account runs one check at a time, and a
   * few per minute (429 with `Retry-After`).
   */
  readonly receiverCheck: (
    account: string,
    input: z.infer<typeof receiverCheckInput>,
    destination?: string,
  ) => Promise<ReceiverReport>;
  /** The destinations of an account, and how each is doing: the campaign webhook first, then the oldest. */
  readonly destinations: {
    list(account: string): Promise<readonly DestinationStatus[]>;
    read(account: string, id: string): Promise<DestinationStatus>;
    /** What the account has set, without how it goes. */
    settings(account: string): Promise<readonly ShownDestination[]>;
    /** How destinations that the caller has read already are doing. */
    of(account: string, settings: readonly ShownDestination[]): Promise<readonly DestinationStatus[]>;
    /** Accepted events of the last 24 hours that no active destination took. */
    withoutDestination(account: string): Promise<Partial<Record<UnroutedType, number>>>;
    /** Rejects like `subscriptions.create`, and with a 422 for settings that contradict each other. */
    create(account: string, input: DestinationInput): Promise<{ readonly id: string }>;
    remove(account: string, id: string, ifVersion?: IfVersion): Promise<void>;
    /** Sends a sample event as this destination would get it. Rejects with a 422 for a type that it does not list. */
    test(account: string, id: string, input: DestinationTestInput): Promise<TestResult>;
    /** The same for one that is not created yet. Rejects with a 422 for settings that contradict each other. */
    testUnsaved(account: string, settings: DestinationInput, input: DestinationTestInput): Promise<TestResult>;
  };
  /** Actions resolve with the new state. They reject with a 409 that explains the conflict. */
  readonly destinationActions: {
    pause(account: string, destination: string, input: z.infer<typeof customerPauseInput>): Promise<DestinationStatus>;
    /** Does nothing if the destination is not paused. */
    resume(account: string, destination: string): Promise<DestinationStatus>;
    /** Sends all resends as fast as the receiver takes them, and the dead letters too if `deadLetters` is true. */
    sendNow(account: string, destination: string, input: z.infer<typeof sendNowInput>): Promise<SendNowResult>;
  };
  /** What a customer sets for a destination. Shows names of headers, never their values. */
  readonly destinationSettings: {
    /** The settings of every destination. */
    list(account: string): Promise<ReadonlyMap<string, VersionedSettings>>;
    read(account: string, destination: string): Promise<VersionedSettings>;
    /** Resolves with the new settings. Changes nothing, and rejects with a 422, if they contradict each other. */
    write(
      account: string,
      destination: string,
      input: DestinationSettingsInput,
      onUnchanged: () => void,
      ifVersion?: IfVersion,
    ): Promise<DestinationSettings>;
  };
  /**
   * Signing secrets of one destination, each shown once. While it has one, its requests are signed with its own secrets
   * alone, and otherwise with those of the account.
   */
  readonly destinationSecrets: {
    /** Those of each destination that has some, by destination. */
    listAll(account: string): Promise<ReadonlyMap<string, readonly SigningSecret[]>>;
    /** Oldest first. */
    list(account: string, destination: string): Promise<SigningSecret[]>;
    /** Shows the secret this one time. Rejects a third one with a 409. */
    create(account: string, destination: string): Promise<{ readonly id: string; readonly secret: string }>;
    /** The same, and the present one signs for some hours more. */
    roll(account: string, destination: string, input: RollInput): Promise<z.infer<typeof createdSecret>>;
    remove(account: string, destination: string, id: string): Promise<void>;
  };
  /**
   * The account's signing secrets, each shown once. An account may have two, so that it can replace one while both
   * sign.
   */
  readonly secrets: {
    /** Oldest first. */
    list(account: string): Promise<SigningSecret[]>;
    /** Shows the secret this one time. Rejects a third one with StoreConflictError. */
    create(account: string): Promise<{ readonly id: string; readonly secret: string }>;
    /** The same, and the present one signs for some hours more. */
    roll(account: string, input: RollInput): Promise<z.infer<typeof createdSecret>>;
    /** Without it, one that was to end has no end any more. */
    remove(account: string, id: string): Promise<void>;
  };
  /** When each secret of the account and its destinations signed for the last time (ISO 8601), by its id. */
  readonly secretUses: (account: string) => Promise<ReadonlyMap<string, string>>;
  /** Up to `OWN_TOKENS_MAX`. Rejects beyond with StoreConflictError. */
  readonly tokens: AccessTokens;
  /** The e-mail addresses and webhooks that get alerts. */
  readonly alerts: {
    /** False without `SMTP_URL`: only webhooks get alerts. */
    readonly sendsMails: boolean;
    /** Oldest first. */
    list(account: string): Promise<AlertAddress[]>;
    /**
     * Sends the address a mail that asks its owner to confirm. Rejects with a 409 if the installation sends no
     * e-mails, with a 429 after too many such mails, or with StoreConflictError.
     */
    create(account: string, input: AlertAddressInput): Promise<AlertAddress>;
    remove(account: string, id: string): Promise<void>;
    /** What an address or a webhook gets from now on. Rejects with a 404. */
    choose(account: string, id: string, choice: AlertChoice): Promise<AlertChoice>;
    readonly webhooks: {
      /** Oldest first. */
      list(account: string): Promise<AlertWebhook[]>;
      /** Rejects with a 422 for an address that Mailhook must not call, or with StoreConflictError. */
      create(account: string, input: AlertWebhookInput): Promise<AlertWebhook>;
      remove(account: string, id: string): Promise<void>;
      /** Sends a sample message now. Rejects with a 404, or with a 429 after too many tests. */
      test(account: string, id: string): Promise<AlertTestResult>;
    };
  };
  /** Who changed what of the account, newest first. Names operators, and no address of theirs. */
  readonly changes: (account: string, query: Omit<AuditListQuery, 'account'>) => Promise<Changes>;
  /** Recent attempts of the account's deliveries, newest first. */
  readonly deliveries: (account: string, query: z.infer<typeof deliveriesQuery>) => Promise<DeliveriesPage>;
  /** One attempt with its request, its reply, the events that are still held, and the attempts at the same batch. */
  readonly readAttempt: (account: string, id: string) => Promise<DeliveryAttemptDetail>;
  /**
   * Finds events of the account by `hash`, `messageId`, `webhookId` or `email`, so that a customer can see why it is
   * late.
   */
  readonly eventLookup: (account: string, query: EventQuery) => Promise<EventTraces>;
  /** What was accepted. Every call rejects with a 404 `event_log_off` while the log is off. */
  readonly eventLog: {
    readonly isOn: boolean;
    /** Events accepted longer ago are not listed. */
    readonly keptMs: number;
    /** Newest first. */
    search(account: string, input: LogSearchInput): Promise<LogPage>;
    /** Of the newest events of these types, at most `FILTER_TRIED_ON`, those that the filter lets through. */
    tryFilter(account: string, filtered: Filtered): Promise<FilterTrial>;
    read(account: string, entry: string): Promise<LogEntry>;
    /** Sends accepted events to a destination again, or only counts them. */
    replay(account: string, destination: string, input: ReplayInput): Promise<{ readonly id: string } | ReplayCount>;
    /**
     * Sends the events of a delivered attempt to its destination again. `missing`: how many the log no longer has.
     * Rejects with a 404 if that is all of them, or with a 409 for a destination that gets no events.
     */
    sendAgain(
      account: string,
      attempt: string,
    ): Promise<{ readonly destination: string; readonly sent: number; readonly missing: number }>;
    /** Whether the destination is younger than the log, and has had no replay yet. */
    lacksPast(account: string, destination: string): Promise<boolean>;
    /** The last ones of a destination, newest first. */
    replays(account: string, destination: string): Promise<readonly ReplayState[]>;
    readReplay(account: string, destination: string, replay: string): Promise<ReplayState>;
    /** What was sent stays sent. */
    stopReplay(account: string, destination: string, replay: string): Promise<ReplayState>;
  };
  readonly deadLetters: {
    /** Newest first. */
    list(account: string, query: z.infer<typeof deadLettersQuery>): Promise<DeadLetterPage>;
    /** By cause and destination. */
    groups(account: string, filter: DeadLetterListFilter): Promise<DeadLetterGroups>;
    /** With its events and its attempts. */
    read(account: string, id: string): Promise<DeadLetterDetail>;
    /** The first event of each, as a request carries it. Large dead letters are left out. */
    firstEvents(account: string, letters: readonly DeadLetter[]): Promise<FirstEvents>;
    /**
     * Passes a CSV on with one line for each event of all dead letters, newest first. One at a time for each account,
     * until `send` has resolved. `timeOf` writes a time (ISO 8601 in UTC) for the reader.
     */
    sendCsv(
      account: string,
      send: (lines: AsyncIterable<Uint8Array | string>) => Promise<void>,
      timeOf?: (iso: string) => string,
    ): Promise<void>;
    redrive(account: string, input: z.infer<typeof redriveInput>): Promise<RedriveResult>;
    /** What has not been redriven yet stays a dead letter. */
    stopRedrive(account: string): Promise<DeadLetterSummary>;
    /** Deletes them permanently. */
    discard(account: string, input: z.infer<typeof ownDiscardInput>): Promise<DiscardResult>;
  };
}
