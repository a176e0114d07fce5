/**
 * The largest request that a receiver takes, learned from its 413 replies (docs/decisions/0003). Batches are frozen
 * within the limit, so that they fit at once. The limit grows back slowly. If it grows too far, the next large batch
 * gets a 413, and the wait before the next growth doubles.
 */
export interface SizeLimit {
  /** The largest body to send. Bodies are measured by `bodyBytes`. */
  readonly maxBytes: number;
  /** The largest body that the receiver took under this limit. */
  readonly takenBytes: number;
  /** The time from which the limit may grow, in Unix milliseconds. */
  readonly growAtMs: number;
  /** The wait before the next growth, in milliseconds. */
  readonly growAfterMs: number;
}

/** The size of a cut request that the receiver read: the limit that it was cut to, and the bytes of its body. */
export type FittingSize = Pick<SizeLimit, 'maxBytes' | 'takenBytes'>;

/** The largest body of a batch. A limit at or above it limits nothing. */
export const BATCH_BYTES_MAX = 1_048_576;
const GROWTH = 1.25;
const GROW_FIRST_MS = 10 * 60_000;
const GROW_MAX_MS = 24 * 3_600_000;

/** The limit after a batch was cut until a request fit. */
export function sizeLimitAfterCut(
  limit: SizeLimit | undefined,
  { maxBytes, takenBytes }: FittingSize,
  nowMs: number,
): SizeLimit | undefined {
  // The batch was frozen before the limit was known, and was now cut to it.
  if (limit !== undefined && maxBytes >= limit.maxBytes) return sizeLimitAfterDelivery(limit, takenBytes, nowMs);
  const growAfterMs = limit === undefined ? GROW_FIRST_MS : Math.min(limit.growAfterMs * 2, GROW_MAX_MS);
  return { maxBytes: Math.max(maxBytes, takenBytes), takenBytes, growAtMs: nowMs + growAfterMs, growAfterMs };
}

/** The limit after the receiver took a body. Returns undefined when the limit is no longer needed. */
export function sizeLimitAfterDelivery(limit: SizeLimit, bytes: number, nowMs: number): SizeLimit | undefined {
  const takenBytes = Math.max(limit.takenBytes, bytes);
  // If `growAtMs` is further away than the wait, a wrong clock wrote it.
  const mayGrow = nowMs >= limit.growAtMs || limit.growAtMs > nowMs + limit.growAfterMs;
  // Small bodies do not show that the limit is too low.
  const grows = mayGrow && bytes * 2 >= limit.maxBytes;
  const maxBytes = Math.max(grows ? Math.ceil(limit.maxBytes * GROWTH) : limit.maxBytes, bytes);
  if (maxBytes >= BATCH_BYTES_MAX) return undefined;
  if (maxBytes === limit.maxBytes && takenBytes === limit.takenBytes) return limit;
  return { ...limit, maxBytes, takenBytes, growAtMs: grows ? nowMs + limit.growAfterMs : limit.growAtMs };
}

/** The text in Redis: four numbers, or '' for no limit. The freezing script reads the first one, the limit in bytes. */
export const sizeLimitText = (limit: SizeLimit | undefined): string =>
  limit === undefined ? '' : [limit.maxBytes, limit.takenBytes, limit.growAtMs, limit.growAfterMs].join(' ');

export function readSizeLimit(text: string): SizeLimit | undefined {
  const match = /^(\d+) (\d+) (\d+) (\d+)$/.exec(text);
  if (match === null) return undefined;
  const [maxBytes, takenBytes, growAtMs, growAfterMs] = match.slice(1).map(Number) as [number, number, number, number];
  return { maxBytes, takenBytes, growAtMs, growAfterMs };
}
