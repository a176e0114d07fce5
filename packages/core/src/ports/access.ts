import type { z } from 'zod';
import type { Access, createdToken, PortalInput, tokenInput } from '../contracts/account.ts';
import type { AlertAddress } from '../contracts/alert.ts';
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
  readonly createdAt: string;
}

/** The access token with which somebody acts. `expiresAt`: ISO 8601, or null without an end. */
export interface UsedToken {
  readonly id: string;
  readonly expiresAt: string | null;
}

/** The access tokens of accounts. */
export interface AccessTokens {
  /** Oldest first. */
  list(account: string): Promise<readonly ListedAccessToken[]>;
  /**
   * Shows the token this one time. Rejects if the account has too many.
   *
   * @param maker the token with which it is made. The new one ends with it at the latest.
   */
  create(account: string, input: z.infer<typeof tokenInput>, maker?: UsedToken): Promise<z.infer<typeof createdToken>>;
  remove(account: string, id: string): Promise<void>;
}

/** A session of the settings page. */
export interface Session {
  readonly account: string;
  /** The label or id of the token that opened it, `portal link`, or the label of the operator. */
  readonly origin: string;
  /** Who looks at the account ("Open as customer"). */
  readonly operator?: Operator | undefined;
  readonly access: Access;
  /** When it was opened, in Unix milliseconds. */
  readonly startedMs: number;
  /** The access token that opened it. A session of a portal link has none, and makes none. */
  readonly token?: UsedToken | undefined;
  /** Only a session that a portal link opened has it. `returnUrl`: where the page links back to. */
  readonly portal?: { readonly returnUrl?: string | undefined };
}

/** The browser that opened a session: its own words about itself, and the IP address that it came from. */
export interface SessionBrowser {
  readonly agent?: string | undefined;
  readonly client?: string | undefined;
}

/** A session that the page lists. `startedAt` is ISO 8601. */
export interface ListedSession extends SessionBrowser {
  /** Opens nothing. */
  readonly id: string;
  readonly startedAt: string;
  readonly isCurrent: boolean;
  /** Who opened it as the customer. */
  readonly operator?: Operator | undefined;
}

/** Sessions of the settings page, shared by all replicas. The browser holds only a random id of 256 bits. */
export interface Sessions {
  /** How long a session lasts, whatever happens meanwhile. */
  readonly lifetimeS: number;
  /**
   * Opens a session for a token that the caller has verified. Resolves with the session's id, which is the cookie's
   * value.
   */
  open(token: string, browser: SessionBrowser): Promise<string>;
  /** The same for a portal link that was just used. */
  openPortal(grant: PortalGrant, browser: SessionBrowser): Promise<string>;
  /**
   * Resolves with undefined if the session, or the token or epoch that it is bound to, has ended. Rejects if neither
   * Redis, the store nor memory can answer. Keeps the session from ending for inactivity, unless only the page itself
   * asks (`isPolling`).
   */
  find(id: string, asked?: { readonly isPolling: boolean }): Promise<Session | undefined>;
  close(id: string): Promise<void>;
  /** The sessions of the same access token, or the portal sessions of the same account. Oldest first. */
  listAlike(id: string): Promise<ListedSession[]>;
  /** Ends the one of them that is listed by this id. Resolves with false if there is none. */
  closeListed(id: string, listed: string): Promise<boolean>;
  /** Ends them all, this one included. */
  closeAlike(id: string): Promise<void>;
  /**
   * Ends the account's portal sessions and revokes its unused portal links, on all replicas at once. A session of a
   * token ends with its token.
   */
  closeAllOf(account: string): Promise<void>;
}

/** What an opened portal link grants: a session of this account. */
export interface PortalGrant extends PortalInput {
  readonly account: string;
  /** Of the account, when the link was created. */
  readonly name: string;
  readonly epoch: string;
  /** Who opens the account as its customer. */
  readonly operator?: Operator | undefined;
}

/** One-time links to the settings page. All replicas share them. */
export interface PortalLinks {
  /** Rejects with a 404 for an unknown account. `token` has 256 random bits, as 43 URL-safe characters. */
  create(
    account: string,
    input: PortalInput & Pick<PortalGrant, 'operator'>,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** What the link grants, without using it up. */
  peek(token: string): Promise<PortalGrant | undefined>;
  /**
   * Uses the link up. Resolves with undefined if it expired, was revoked or was used before; of several calls at once,
   * one gets the grant.
   */
  redeem(token: string): Promise<PortalGrant | undefined>;
}

/** What the owner of an e-mail address does with the token of its mails. Undefined for an unknown token. */
export interface AlertLinks {
  find(account: string, token: string): Promise<AlertAddress | undefined>;
  confirm(account: string, token: string): Promise<AlertAddress | undefined>;
  unsubscribe(account: string, token: string): Promise<AlertAddress | undefined>;
  /** Removes the address, and lets no account add its mailbox again. */
  refuseAll(account: string, token: string): Promise<AlertAddress | undefined>;
}
