import { HOUR_MS } from '../mailbox/history-keys.ts';

/** The content of a request that delivered events (`DELIVERED_BODY_RETENTION`). */
export interface KeptBody {
  /** Of its attempt. */
  readonly id: string;
  /** The events, as fragments joined by line breaks. */
  readonly fragments: string;
}

/** Bodies of the longest retention are in the lists of this many hours. */
export const BODY_HOURS = 25;

/** A row begins with its id, like those of the attempt log. */
export const bodyRow = ({ id, fragments }: KeptBody): string => JSON.stringify({ id, fragments });

export const readBodyRow = (row: string): KeptBody => JSON.parse(row) as KeptBody;

/** The hour of the list that has the body of an attempt of this time. */
export const bodyHour = (timeMs: number): number => Math.floor(timeMs / HOUR_MS);
