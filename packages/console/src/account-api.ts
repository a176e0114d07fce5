import type {
  AccountHistory,
  AlertAddress,
  CampaignWebhook,
  DeadLetter,
  DeadLetterDetail,
  DeadLetterGroups,
  DeadLetterSummary,
  DeliveryAttempt,
  DeliveryAttemptDetail,
  DestinationSettings,
  DestinationStatus,
  DiscardResult,
  EventTraces,
  HistoryRange,
  Page,
  ReceiverReport,
  RedriveResult,
  SendNowResult,
  SigningSecret,
  Subscription,
  TestResult,
} from '@mailhook/core';
import type { IfVersion } from '@mailhook/platform/http-server';
import type { Response } from 'express';

/** `version` is for a change that must replace these settings and no others. */
export type VersionedSettings = DestinationSettings & { readonly version: string };

/**
 * What the settings page calls. Its host implements it, for the REST API too. Queries and bodies are unchecked input.
 * Every method rejects with a ProblemError, or with an error that the host makes one of. A change of another version
 * than `ifVersion` takes is refused as `precondition_failed`.
 */
export interface AccountApi {
  readonly campaign: {
    read(account: string): Promise<CampaignWebhook>;
    /** Resolves with the new setting. Calls `onUnchanged` if it was like that before. */
    write(account: string, body: unknown, onUnchanged: () => void, ifVersion?: IfVersion): Promise<CampaignWebhook>;
    test(account: string, body: unknown): Promise<TestResult>;
  };
  readonly subscriptions: {
    /** Oldest first. */
    list(account: string): Promise<readonly Subscription[]>;
    read(account: string, id: string): Promise<Subscription>;
    create(account: string, body: unknown): Promise<unknown>;
    edit(account: string, id: string, body: unknown, onUnchanged: () => void, ifVersion?: IfVersion): Promise<void>;
    remove(account: string, id: string): Promise<void>;
  };
  /** `subscription`: id of the tested subscription. */
  readonly notificationTest: (account: string, body: unknown, subscription?: string) => Promise<TestResult>;
  readonly receiverCheck: (account: string, body: unknown, subscription?: string) => Promise<ReceiverReport>;
  readonly destinations: {
    /** The states of destinations whose settings the page has read already. */
    of(
      account: string,
      settings: { readonly campaign: CampaignWebhook; readonly subscriptions: readonly Subscription[] },
    ): Promise<readonly DestinationStatus[]>;
  };
  readonly destinationActions: {
    pause(account: string, destination: string, body: unknown): Promise<unknown>;
    resume(account: string, destination: string): Promise<unknown>;
    sendNow(account: string, destination: string, body: unknown): Promise<SendNowResult>;
  };
  readonly destinationSettings: {
    /** By destination. */
    list(account: string): Promise<ReadonlyMap<string, VersionedSettings>>;
    write(
      account: string,
      destination: string,
      body: unknown,
      onUnchanged: () => void,
      ifVersion?: IfVersion,
    ): Promise<DestinationSettings>;
  };
  readonly destinationSecrets: {
    /** Of each destination that has some, by destination. */
    listAll(account: string): Promise<ReadonlyMap<string, readonly SigningSecret[]>>;
    create(account: string, destination: string): Promise<{ readonly secret: string }>;
    remove(account: string, destination: string, id: string): Promise<void>;
  };
  readonly secrets: {
    list(account: string): Promise<readonly SigningSecret[]>;
    create(account: string): Promise<{ readonly secret: string }>;
    remove(account: string, id: string): Promise<void>;
  };
  /** Undefined if the installation sends no e-mails. */
  readonly alerts:
    | {
        list(account: string): Promise<readonly AlertAddress[]>;
        create(account: string, body: unknown): Promise<AlertAddress>;
        remove(account: string, id: string): Promise<void>;
      }
    | undefined;
  readonly deliveries: (account: string, query: unknown) => Promise<Page<DeliveryAttempt>>;
  readonly readAttempt: (account: string, id: string) => Promise<DeliveryAttemptDetail>;
  readonly eventLookup: (account: string, query: unknown) => Promise<EventTraces>;
  readonly deadLetters: {
    list(account: string, query: unknown): Promise<DeadLetterPage>;
    groups(account: string, query: unknown): Promise<DeadLetterGroups>;
    read(account: string, id: string): Promise<DeadLetterDetail>;
    /** `timeOf` writes a time (ISO 8601 in UTC) for the reader. */
    sendCsv(account: string, response: Response, timeOf: (iso: string) => string): Promise<void>;
    redrive(account: string, body: unknown): Promise<RedriveResult>;
    stopRedrive(account: string): Promise<DeadLetterSummary>;
    discard(account: string, body: unknown): Promise<DiscardResult>;
  };
}

export type DeadLetterPage = Page<DeadLetter> & DeadLetterSummary;

/** What the settings page reads besides. */
export interface AccountReadings {
  /** Undefined for an unknown account. */
  readonly nameOf: (account: string) => Promise<string | undefined>;
  /** Which attempts are kept, and how many events a search covers at most, as numbers in texts. */
  readonly kept: {
    readonly attempts: number;
    readonly megabytes: number;
    readonly days: number;
    readonly perSecond: number;
    readonly perSecondOfAll: number;
    readonly waiting: number;
    readonly resends: number;
    readonly deadLetters: number;
  };
  readonly readHistory: (
    account: string,
    which: { readonly campaign: boolean; readonly subscriptions: readonly string[]; readonly range: HistoryRange },
    nowMs: number,
  ) => Promise<AccountHistory>;
  /** How long a receiver has for a reply, in milliseconds. */
  readonly deadlineMs: number;
}
