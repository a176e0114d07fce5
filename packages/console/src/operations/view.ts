import { bytesText, spanText } from '@mailhook/core';
import type { OperationsReport } from '@mailhook/core';
import type { Content, Markup } from '../html/markup.ts';

/** Rows of a page of a list. */
export const ROWS = 50;
/** Accounts whose destinations or tokens are on one page. */
export const ACCOUNTS_OF_ROWS = 10;

/** Names by account id. */
export type Names = ReadonlyMap<string, string>;

/** A page as it is shown. */
export interface Shown {
  readonly title: string;
  readonly lead?: Content;
  /** Above the title: the list that the page belongs to. */
  readonly above?: readonly [url: string, text: string];
  /** Beside the title. */
  readonly beside?: Content;
  /** Below the title: its tabs or filters. */
  readonly tabs?: readonly Tab[];
  readonly content: Markup;
  /** Whether the page updates itself. */
  readonly isLive?: boolean;
  /** ISO 8601: what the page shows was read then. */
  readonly asOf?: string;
  readonly status?: number;
  /** URL of another page, to which the browser is redirected. */
  readonly moved?: string | undefined;
  /** Why the page can show nothing, while Redis or the store is away. */
  readonly fault?: Markup;
}

export interface Tab {
  readonly url: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** What the rows and forms of a page need to know. */
export interface PageContext {
  readonly names: Names;
  readonly nowMs: number;
  /** The account of the page. Its rows do not repeat the name. */
  readonly account?: string;
  readonly deadLettersDays: number;
}

/** How long delivered attempts are kept, and in how much memory. */
export function keptFor({ bytes, deliveredSince }: OperationsReport['attemptLog'], time: string): string {
  const span = deliveredSince === null ? '7 days' : spanText(Date.parse(time) - Date.parse(deliveredSince));
  return `${span}, in ${bytesText(bytes)}`;
}
