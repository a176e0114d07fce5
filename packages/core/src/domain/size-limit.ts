/**
 * The largest request that a receiver takes, learned from its 413 replies (docs/decisions/0003). Batches are frozen
 * within it, so that they fit immediately. It is forgotten after a day, because a receiver may take more by then.
 */
export interface SizeLimit {
  /** The largest body to send, as measured by `bodyBytes`. */
  readonly maxBytes: number;
  /** When it was learned, in Unix milliseconds. */
  readonly sinceMs: number;
}

/** The largest body of a batch. */
export const BATCH_BYTES_MAX = 1_048_576;
const REMEMBERED_MS = 24 * 3_600_000;

/** Whether a limit has been remembered for long enough, or has a time that a wrong clock wrote. */
export const isOutdated = ({ sinceMs }: SizeLimit, nowMs: number): boolean =>
  Math.abs(nowMs - sinceMs) >= REMEMBERED_MS;

/** The text in Redis: two numbers, or '' for no limit. The freezing function reads the first, the limit in bytes. */
export const sizeLimitText = (limit: SizeLimit | undefined): string =>
  limit === undefined ? '' : `${limit.maxBytes} ${limit.sinceMs}`;

export function readSizeLimit(text: string): SizeLimit | undefined {
  if (text === '') return undefined;
  const [maxBytes, sinceMs] = text.split(' ').map(Number) as [number, number];
  return { maxBytes, sinceMs };
}
