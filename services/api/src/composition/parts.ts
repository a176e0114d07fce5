import type { Store, AuditLog, OperatorServices, PortalLinks, Sessions } from '@mailhook/core';
import type { DeadLetterBox, Installation } from '@mailhook/delivery';
import type { AccountUsages } from '@mailhook/insight';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Accounts } from '../accounts/accounts.ts';
import type { Deletions } from '../accounts/deletions.ts';
import type { Alerts } from '../alerts/alerts.ts';
import type { Erasures } from '../accounts/erasures.ts';
import type { AdminTokens } from '../auth/admin-tokens.ts';

/** All data of the installation. */
export interface ApiData {
  readonly installation: Installation;
  readonly store: Store;
  readonly deadLetters: DeadLetterBox;
  readonly discard: OperatorServices['discard'];
  readonly usages: AccountUsages;
}

/** Where the api writes what happens. */
export interface Records {
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly logger: Logger;
}

/** The accounts and who may act for them. */
export interface OpenedAccounts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly links: PortalLinks;
  readonly deletions: Deletions;
  readonly erasures: Erasures;
  readonly adminTokens: AdminTokens;
  readonly alerts: Alerts;
}
