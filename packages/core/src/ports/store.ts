import type { Access, Account } from '../contracts/account.ts';
import type { Mechanism } from '../contracts/delivery.ts';
import type { Subscription, SubscriptionType } from '../contracts/subscription.ts';

/**
 * The api's store of accounts and their settings. Two implementations (MongoDB, Redis) pass one conformance suite.
 * Every method rejects with `StoreUnavailableError` while the store cannot be reached, and then leaves no partial
 * change.
 */

/** Thrown by every store method while the store cannot be reached. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * Thrown when a change would break a rule that the store itself enforces: a limit (signing secrets, subscriptions per
 * type) or a unique id.
 */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
}

/**
 * `version` starts at 1 and grows by one with every change, because a 410 applies only to the version that the request
 * was sent to.
 */
export type StoredSubscription = Subscription & { readonly account: string; readonly version: number };

export interface SubscriptionChange {
  readonly address?: string | undefined;
  readonly active?: boolean | undefined;
  readonly type?: SubscriptionType | undefined;
}

/** `address` is null if it was never set or was cleared. */
export interface StoredCampaignWebhook {
  readonly account: string;
  readonly address: string | null;
  readonly active: boolean;
  readonly inactiveReason: string | null;
  readonly version: number;
}

/** `createdAt` is ISO 8601. */
export type StoredAccount = Account & { readonly createdAt: string };

/** An account whose data is being removed, or was removed lately. Times are ISO 8601. */
export interface StoredDeletion {
  readonly account: string;
  readonly startedAt: string;
  /** Null while some of its data is left. */
  readonly finishedAt: string | null;
}

export interface AccountPage {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Only accounts whose id or name starts with this text. Case does not matter in names. */
  readonly prefix?: string | undefined;
}

export interface StoredToken {
  readonly id: string;
  readonly account: string;
  /** SHA-256 of the token, in hex. The token itself is never stored. */
  readonly tokenHash: string;
  readonly label: string;
  readonly access: Access;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601, or null for a token without an end. */
  readonly expiresAt: string | null;
}

export interface StoredProducerToken extends Omit<StoredToken, 'account' | 'access'> {
  /** The accounts for which it may send events, or null for all. */
  readonly accounts: readonly string[] | null;
}

export interface StoredSecret {
  readonly id: string;
  /** `whsec_` and base64, as Standard Webhooks defines it. Sealed if there is a `SECRETS_KEY`. */
  readonly secret: string;
  readonly createdAt: string;
}

/** A customer's settings of how Mailhook calls one destination. */
export interface StoredDestinationSettings {
  readonly account: string;
  /** A subscription's id, or `campaign`. */
  readonly destination: string;
  /** The origin of the address for which the headers were set. They are never sent to another one. */
  readonly origin: string;
  /** By lowercase name. The values are sealed if there is a `SECRETS_KEY`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a limit. */
  readonly maxRequestsPerSecond: number | null;
  /**
   * Signing secrets of this destination alone, oldest first. Without one, requests are signed with those of the
   * account.
   */
  readonly secrets: readonly StoredSecret[];
  /** Starts at 1 and grows by one with every change. */
  readonly version: number;
}

/** A destination that matches a search. */
export interface FoundDestination {
  readonly account: string;
  /** A subscription's id, or `campaign-<account>`. */
  readonly id: string;
  readonly kind: Mechanism;
  readonly address: string;
}

export interface StoreMatches {
  readonly accounts: readonly Account[];
  readonly destinations: readonly FoundDestination[];
  /** False if there may be more: the search reached a limit, or its time was over. */
  readonly isComplete: boolean;
}

export interface AccountStore {
  /**
   * Creates an account, or renames an existing one, whose `createdAt` stays. Rejects with `StoreConflictError` while a
   * deletion of this id is recorded.
   */
  putAccount(account: StoredAccount): Promise<'created' | 'renamed' | 'unchanged'>;
  findAccount(id: string): Promise<StoredAccount | undefined>;
  /** In order of id. `after` is the last id of the previous page. */
  listAccounts(page: { readonly limit: number; readonly after?: string | undefined }): Promise<StoredAccount[]>;
  /**
   * Newest first. With `prefix`, a page may have fewer accounts than `limit`, even none, although there is a
   * `nextCursor`.
   */
  listNewestAccounts(
    page: AccountPage,
  ): Promise<{ readonly items: readonly StoredAccount[]; readonly nextCursor?: string }>;
  /**
   * Removes the account itself and records its deletion. From then on, no other method finds it, but its settings stay
   * until `removeSettings`. Returns false if there is neither such an account nor a deletion of it.
   */
  deleteAccount(id: string, startedAt: string): Promise<boolean>;
  listDeletions(): Promise<StoredDeletion[]>;
  findDeletion(account: string): Promise<StoredDeletion | undefined>;
  /**
   * Deletes the tokens, signing secrets, subscriptions, campaign webhook and destination settings of a deleted account.
   * Can be repeated.
   */
  removeSettings(account: string): Promise<void>;
  finishDeletion(account: string, finishedAt: string): Promise<void>;
  /** Removes the record of a deletion, so that the id may be used again. */
  forgetDeletion(account: string): Promise<void>;
  /** Leaves out unknown ids. */
  findAccounts(ids: readonly string[]): Promise<StoredAccount[]>;
  /**
   * Finds accounts by their id or a part of their name, and destinations by their id or a part of their address. Case
   * does not matter, except in ids. Returns at most `limit` of each, and searches for about `withinMs` at most. Its
   * memory does not depend on the number of accounts.
   */
  search(text: string, bounds: { readonly limit: number; readonly withinMs: number }): Promise<StoreMatches>;
  createToken(token: StoredToken): Promise<void>;
  /** Finds a token, and so its account, by the token's hash. */
  findToken(tokenHash: string): Promise<StoredToken | undefined>;
  /** Oldest first. */
  listTokens(account: string): Promise<StoredToken[]>;
  /** Returns false if the account has no such token. */
  deleteToken(account: string, id: string): Promise<boolean>;
  /** Oldest first. */
  listProducerTokens(): Promise<StoredProducerToken[]>;
  createProducerToken(token: StoredProducerToken): Promise<void>;
  /** Returns false if there is no such token. */
  deleteProducerToken(id: string): Promise<boolean>;
  /** Rejects with `StoreConflictError` if the account has `max` secrets already, also with concurrent callers. */
  createSecret(account: string, secret: StoredSecret, max: number): Promise<void>;
  /** Oldest first. */
  listSecrets(account: string): Promise<StoredSecret[]>;
  deleteSecret(account: string, id: string): Promise<boolean>;
  /** Replaces the text of a secret, if it is still `from`. */
  resealSecret(account: string, id: string, from: string, to: string): Promise<void>;
  listDestinationSettings(account: string): Promise<StoredDestinationSettings[]>;
  /**
   * Writes settings whose version is the one after the stored version, or 1. Returns false if another write was faster.
   */
  putDestinationSettings(settings: StoredDestinationSettings): Promise<boolean>;
}

interface SubscriptionStore {
  /**
   * Rejects with `StoreConflictError` if the id is in use, or if the account has `maxOfType` subscriptions of this type
   * already, also with concurrent callers.
   */
  createSubscription(
    subscription: Omit<StoredSubscription, 'version'>,
    maxOfType?: number,
  ): Promise<StoredSubscription>;
  /** Oldest first. */
  listSubscriptions(account: string): Promise<StoredSubscription[]>;
  findSubscription(account: string, id: string): Promise<StoredSubscription | undefined>;
  /**
   * Applies the change and raises `version`, atomically. With `ifVersion`, only while the record has this version.
   * Returns undefined if the subscription does not exist or has another version. Rejects with `StoreConflictError` if
   * its type would change to one of which the account has `maxOfType` already.
   */
  updateSubscription(
    account: string,
    id: string,
    change: SubscriptionChange,
    conditions?: { readonly ifVersion?: number | undefined; readonly maxOfType?: number | undefined },
  ): Promise<StoredSubscription | undefined>;
  /** Returns the deleted record, or undefined if the account has no subscription with this id. */
  deleteSubscription(account: string, id: string): Promise<StoredSubscription | undefined>;
  /** Returns `{address: null, active: false, version: 0}` if it was never set. */
  getCampaignWebhook(account: string): Promise<StoredCampaignWebhook>;
  /** Writes the setting and raises `version`, atomically. `ifVersion` works as in `updateSubscription`. */
  putCampaignWebhook(
    account: string,
    setting: { readonly address: string | null; readonly active: boolean; readonly inactiveReason: string | null },
    ifVersion?: number,
  ): Promise<StoredCampaignWebhook | undefined>;
}

export interface Store extends AccountStore, SubscriptionStore {
  /** For readiness. Resolves when the store answers, and otherwise rejects with `StoreUnavailableError`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
