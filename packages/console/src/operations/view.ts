import type {
  AccountDetails,
  DestinationView,
  Finding,
  OperationsReading,
  Overview,
  SearchResult,
} from '@mailhook/core';
import type { AuditEntry } from '../audit.ts';
import { RUNBOOK_PATH } from '../guides/guides.ts';

/** The result of a button. */
export interface Notice {
  readonly isGood: boolean;
  /** A destination's id. */
  readonly about: string;
  readonly text: string;
  /** The whole address of a receiver, which is shown only after a click. */
  readonly address?: string;
}

/** Names by account id. */
export type Names = ReadonlyMap<string, string>;

/** What a request to the page shows. `fault` is a sentence, and `findings` what the api itself knows without Redis. */
export type OperationsView =
  | ({ readonly shows: 'overview'; readonly actions: readonly AuditEntry[] } & OperationsReading)
  | {
      readonly shows: 'account';
      readonly account: AccountDetails;
      readonly actions: readonly AuditEntry[];
      /** Addresses that could not be saved today, because of `HTTPS_ONLY_DESTINATIONS`. */
      readonly withoutHttps: readonly DestinationView[];
    }
  | { readonly shows: 'search'; readonly text: string; readonly result: SearchResult; readonly names: Names }
  | { readonly shows: 'more'; readonly from: number; readonly overview: Overview; readonly names: Names }
  | { readonly shows: 'fault'; readonly fault: string; readonly findings: readonly Finding[] };

export const OVERVIEW_PATH = '/admin';
/** Of Bull Board. */
export const BOARD_PATH = '/admin/queues';

/** The entry of an alert in the runbook. */
export const runbookUrl = (alert: string): string => `${RUNBOOK_PATH}#${alert.toLowerCase()}`;

/** A path of the page, with a query. */
export const pageUrl = (query: Readonly<Record<string, string>>): string =>
  `${OVERVIEW_PATH}?${new URLSearchParams(query).toString()}`;

export const accountUrl = (account: string): string => pageUrl({ account });
/** Ids of destinations are found like everything else. */
export const findUrl = (find: string): string => pageUrl({ find });
