import type { Account } from '../contracts/account.ts';
import type { Mechanism } from '../contracts/delivery.ts';
import type { StoredAccount, StoredToken } from '../domain/stored-account.ts';

/** Thrown by every method of a store, and of the event log, while the store cannot be reached. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** An account whose data is being removed, or was removed lately. Times are ISO 8601. */
export interface StoredDeletion {
  readonly account: string;
  readonly startedAt: string;
  /** Null while some of its data is left. */
  readonly finishedAt: string | null;
  /** The destinations that the account had. */
  readonly destinations: readonly { readonly id: string; readonly kind: Mechanism }[];
}

export interface AccountPage {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Only accounts whose id or name starts with this text. Case does not matter in names. */
  readonly prefix?: string | undefined;
}

type DatedAccount = Pick<StoredAccount, 'id' | 'name' | 'createdAt'>;

/** An access token and its account. */
export type FoundToken = StoredToken & { readonly account: string };

export interface StoredProducerToken extends Omit<StoredToken, 'access'> {
  /** The accounts for which it may send events, or null for all. */
  readonly accounts: readonly string[] | null;
}

/** A destination that matches a search. */
export interface FoundDestination {
  readonly account: string;
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

export interface SearchBounds {
  readonly limit: number;
  readonly withinMs: number;
}

/** Removing, or switching off a destination, must succeed even while Redis is at its memory limit. */
export interface SaveOptions {
  readonly evenWhenFull?: boolean | undefined;
}

/**
 * The api's store of accounts. Each is one document that is read and written whole; the rules of its changes are in
 * domain/stored-account. Two implementations (MongoDB, Redis) pass one conformance suite. Every method rejects with
 * `StoreUnavailableError` while the store cannot be reached, and then leaves no partial change.
 */
export interface Store {
  load(id: string): Promise<StoredAccount | undefined>;
  /** Several accounts by one query. Leaves out unknown ids. */
  loadAll(ids: readonly string[]): Promise<StoredAccount[]>;
  /**
   * Writes the account with the next version if the stored version is still that of `account`: for version 0, if there
   * is no such account. Otherwise returns false. Rejects with `StoreConflictError` if another account has one of its
   * tokens or destination ids, and for a new account while a deletion of its id is recorded.
   */
  save(account: StoredAccount, options?: SaveOptions): Promise<boolean>;
  /**
   * Removes the account if the stored version is still that of `account`, and records its deletion. Otherwise returns
   * false, and may have recorded the deletion.
   */
  remove(account: StoredAccount, startedAt: string): Promise<boolean>;
  /** Finds a token, and so its account, by the token's hash. */
  findByToken(tokenHash: string): Promise<FoundToken | undefined>;
  /** The ids of `count` accounts at most, in order, those after `after`. */
  list(after: string | undefined, count: number): Promise<string[]>;
  /**
   * Newest first. With `prefix`, a page may have fewer accounts than `limit`, even none, although there is a
   * `nextCursor`.
   */
  newest(page: AccountPage): Promise<{ readonly items: readonly DatedAccount[]; readonly nextCursor?: string }>;
  /**
   * Finds accounts and destinations by the beginning of their id or a part of their name, and destinations by a part
   * of their address. Neither case nor the number of spaces matters. Returns at most `limit` of each, and searches for
   * about `withinMs` at most. Its memory does not depend on the number of accounts.
   */
  search(text: string, bounds: SearchBounds): Promise<StoreMatches>;
  listDeletions(): Promise<StoredDeletion[]>;
  findDeletion(account: string): Promise<StoredDeletion | undefined>;
  /** With null, the deletion begins again. */
  finishDeletion(account: string, finishedAt: string | null): Promise<void>;
  /** Removes the record of a deletion, so that the id may be used again. */
  forgetDeletion(account: string): Promise<void>;
  /** Oldest first. */
  listProducerTokens(): Promise<StoredProducerToken[]>;
  createProducerToken(token: StoredProducerToken): Promise<void>;
  /** Returns false if there is no such token. */
  deleteProducerToken(id: string): Promise<boolean>;
  /** The id of the last comparison of this store with Redis, from the last write, whichever server answers. */
  readComparison(): Promise<string | undefined>;
  noteComparison(id: string): Promise<void>;
  /** For readiness. Resolves when the store answers, and otherwise rejects with `StoreUnavailableError`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
