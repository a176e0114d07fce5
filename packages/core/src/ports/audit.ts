import type { FieldChange } from '../domain/account-changes.ts';

/** Who looks at an account as its customer. `token`: the label of the admin token. */
export interface Operator {
  readonly token: string;
  readonly person?: string | undefined;
}

/** Such as `anna@example.com via ops`. Without a sign-in proxy, the label alone. */
export const operatorName = ({ token, person }: Operator): string =>
  person === undefined ? token : `${person} via ${token}`;

/** Where a request came from. */
export interface Origin {
  /**
   * Label or id of a customer's access token, `portal link` for a session that a portal link opened, or the label of an
   * admin token.
   */
  readonly token?: string | undefined;
  /** The operator whom a sign-in proxy has named (`OPERATOR_HEADER`). */
  readonly person?: string | undefined;
  /** The IP address of the client. */
  readonly client?: string | undefined;
  /** The header `x-request-id` of the answer. */
  readonly requestId?: string | undefined;
}

/** Something that a person or a program changed. Reads and tests are not recorded. */
export interface AuditedAction extends Origin {
  /** An operator includes the platform's own software. */
  readonly actor: 'customer' | 'operator';
  readonly via: 'API' | 'settings page' | 'e-mail link' | 'admin API' | 'operations page' | 'Bull Board';
  /** Such as `create subscription`. */
  readonly action: string;
  readonly account?: string | undefined;
  /** What it was done to: an id, an address or a path. */
  readonly object?: string | undefined;
  /** What changed, by field. Absent: nothing that is stored. */
  readonly changes?: readonly FieldChange[] | undefined;
}

/** `id` is also the cursor. `time` is ISO 8601. */
export type AuditEntry = AuditedAction & { readonly id: string; readonly time: string };

export interface AuditListQuery {
  readonly account?: string | undefined;
  readonly actor?: string | undefined;
  /** Parts of actions, in any case. One of them must match. */
  readonly actions?: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Who changed what. */
export interface AuditLog {
  /** Notes also what the request has changed, by field. Never rejects. Also logs the action. */
  record(action: AuditedAction): Promise<void>;
  /**
   * Newest first. With a filter, a page may have few entries, although there is a `nextCursor`. Rejects while Redis is
   * away.
   */
  list(query: AuditListQuery): Promise<{ readonly items: readonly AuditEntry[]; readonly nextCursor?: string }>;
}

/**
 * How much a change of selected things has changed, such as `destination=campaign-acc_a discarded=3 events=30`. The
 * result's numbers count. Undefined: it has none.
 */
export function countedObject(selected: object, result: object): string | undefined {
  const counts = Object.entries(result).filter(([, value]) => typeof value === 'number');
  const names = Object.entries(selected).filter(([, value]) => typeof value === 'string');
  return counts.length === 0 ? undefined : [...names, ...counts].map((fact) => fact.join('=')).join(' ');
}

/** What the log and the metric of security events distinguish. */
export const SECURITY_EVENTS = [
  // Of a token, the first use from an address within 15 minutes.
  'sign_in',
  'sign_in_failed',
  'sign_in_blocked',
  'sign_out',
  'token_missing',
  'token_created',
  'token_revoked',
  'forbidden',
  'foreign_site',
  'rate_limited',
  'portal_link_created',
  'portal_link_used',
  'portal_link_refused',
  'portal_sessions_ended',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];
