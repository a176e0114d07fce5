import type { Account } from '../contracts/account.ts';
import type { Subscription, SubscriptionType } from '../contracts/subscription.ts';

/**
 * What the api keeps for its accounts. Two implementations (MongoDB, Redis) pass one conformance suite.
 * Every method rejects with StoreUnavailableError when the store cannot be reached; nothing is half done then.
 */

/** Thrown by every store method while the store cannot be reached. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Thrown when a limit that the store itself must keep (two signing secrets, subscriptions of a type) would be exceeded. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
}

/** `version` starts at 1 and grows by one with every change: a 410 applies only to the version it was sent to. */
export type StoredSubscription = Subscription & { readonly account: string; readonly version: number };

export interface SubscriptionChange {
  readonly address?: string | undefined;
  readonly active?: boolean | undefined;
  readonly type?: SubscriptionType | undefined;
}

/** `address` null: never set, or cleared. */
export interface StoredCampaignWebhook {
  readonly account: string;
  readonly address: string | null;
  readonly active: boolean;
  readonly inactiveReason: string | null;
  readonly version: number;
}

export interface StoredToken {
  readonly id: string;
  readonly account: string;
  /** SHA-256 of the token, hex. The token itself is never stored. */
  readonly tokenHash: string;
  readonly label: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface StoredSecret {
  readonly id: string;
  /** `whsec_` and base64, as Standard Webhooks has it. Needed in the clear to sign. */
  readonly secret: string;
  readonly createdAt: string;
}

export interface AccountStore {
  createAccount(account: Account): Promise<void>;
  findAccount(id: string): Promise<Account | undefined>;
  /** In order of id; `after` is the last id of the page before. */
  listAccounts(page: { readonly limit: number; readonly after?: string | undefined }): Promise<Account[]>;
  createToken(token: StoredToken): Promise<void>;
  /** The account a token belongs to, by the token's hash. */
  findToken(tokenHash: string): Promise<StoredToken | undefined>;
  /** False: the account has no such token. */
  deleteToken(account: string, id: string): Promise<boolean>;
  /** StoreConflictError when the account has `max` secrets already, also when two of us try at once. */
  createSecret(account: string, secret: StoredSecret, max: number): Promise<void>;
  /** Oldest first. */
  listSecrets(account: string): Promise<StoredSecret[]>;
  deleteSecret(account: string, id: string): Promise<boolean>;
}

export interface SubscriptionStore {
  /** StoreConflictError when the id is in use, or when the account has `maxOfType` subscriptions of this type already, also when many of us try at once. */
  createSubscription(
    subscription: Omit<StoredSubscription, 'version'>,
    maxOfType?: number,
  ): Promise<StoredSubscription>;
  /** Oldest first. */
  listSubscriptions(account: string): Promise<StoredSubscription[]>;
  findSubscription(account: string, id: string): Promise<StoredSubscription | undefined>;
  /**
   * Applies the change and raises `version`, atomically. With `ifVersion`, only while the record still has it. Undefined: not there, or another version.
   * StoreConflictError when it would become one of another type, of which the account has `maxOfType` already.
   */
  updateSubscription(
    account: string,
    id: string,
    change: SubscriptionChange,
    conditions?: { readonly ifVersion?: number | undefined; readonly maxOfType?: number | undefined },
  ): Promise<StoredSubscription | undefined>;
  /** The record as it was; undefined: the account has none with this id. */
  deleteSubscription(account: string, id: string): Promise<StoredSubscription | undefined>;
  /** `{address: null, active: false, version: 0}` when never set. */
  getCampaignWebhook(account: string): Promise<StoredCampaignWebhook>;
  /** Writes the setting and raises `version`, atomically. `ifVersion` as above. */
  putCampaignWebhook(
    account: string,
    setting: { readonly address: string | null; readonly active: boolean; readonly inactiveReason: string | null },
    ifVersion?: number,
  ): Promise<StoredCampaignWebhook | undefined>;
}

export interface Store extends AccountStore, SubscriptionStore {
  /** Resolves when the store answers; rejects with StoreUnavailableError otherwise. For readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
