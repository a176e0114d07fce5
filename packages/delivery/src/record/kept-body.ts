/** The content of a request that delivered events (`DELIVERED_BODY_RETENTION`). */
export interface KeptBody {
  /** Of its attempt. */
  readonly id: string;
  /** The events, as they were frozen. */
  readonly fragments: string;
}

const HOUR_MS = 3_600_000;
/** The longest retention, and the current hour. */
const HOURS = 25;

/** A row begins with its id, like those of the attempt log. */
export const bodyRow = ({ id, fragments }: KeptBody): string => JSON.stringify({ id, fragments });

export const readBodyRow = (row: string): KeptBody => JSON.parse(row) as KeptBody;

/** The hour of the list that has the body of an attempt of this time. */
export const bodyHour = (timeMs: number): number => Math.floor(timeMs / HOUR_MS);

/** The hours of all lists that may exist. */
export const bodyHours = (nowMs: number): number[] => Array.from({ length: HOURS }, (_, i) => bodyHour(nowMs) - i);

/** How long the list of an hour still lives. Counts from the start of the hour, so that no body is kept too long. */
export const bodyLifetimeS = (hour: number, keptMs: number, nowMs: number): number =>
  Math.ceil((hour * HOUR_MS + keptMs - nowMs) / 1000);
