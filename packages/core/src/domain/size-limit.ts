/**
 * The largest request that a destination's receiver takes, learnt from its 413 replies (docs/decisions/0028). Batches are frozen within the limit, so
 * that they fit at once. The limit grows back slowly. A growth that goes too far costs a 413, and doubles the wait before the next growth.
 */
export interface SizeLimit {
  /** The largest body to send. Bodies are measured by `bodyBytes`. */
  readonly maxBytes: number;
  /** The largest body that the receiver took under this limit. */
  readonly takenBytes: number;
  /** From then on (Unix milliseconds) the limit may grow. */
  readonly growAtMs: number;
  readonly growAfterMs: number;
}

/** The size of a request that was cut and that the receiver read: what it was cut to, and its own bytes. */
export type FittingSize = Pick<SizeLimit, 'maxBytes' | 'takenBytes'>;

/** Bodies are never larger (`BODY_MAX` of the freezing script), so a limit at or above this one limits nothing. */
const FORGOTTEN_AT_BYTES = 1_048_576;
const GROWTH = 1.25;
const GROW_FIRST_MS = 10 * 60_000;
const GROW_MAX_MS = 24 * 3_600_000;

/** The limit after a batch was cut until a request fitted. */
export function sizeLimitAfterCut(
  limit: SizeLimit | undefined,
  { maxBytes, takenBytes }: FittingSize,
  nowMs: number,
): SizeLimit | undefined {
  // The batch was frozen before the limit was learnt, and was cut to it.
  if (limit !== undefined && maxBytes >= limit.maxBytes) return sizeLimitAfterDelivery(limit, takenBytes, nowMs);
  const growAfterMs = limit === undefined ? GROW_FIRST_MS : Math.min(limit.growAfterMs * 2, GROW_MAX_MS);
  return { maxBytes: Math.max(maxBytes, takenBytes), takenBytes, growAtMs: nowMs + growAfterMs, growAfterMs };
}

/** The limit after a body was taken; undefined when there is none any more. */
export function sizeLimitAfterDelivery(limit: SizeLimit, bytes: number, nowMs: number): SizeLimit | undefined {
  const takenBytes = Math.max(limit.takenBytes, bytes);
  // A moment further away than any wait was written by a clock that was wrong.
  const mayGrow = nowMs >= limit.growAtMs || limit.growAtMs > nowMs + limit.growAfterMs;
  // Small bodies do not show that the limit is too low.
  const grows = mayGrow && bytes * 2 >= limit.maxBytes;
  const maxBytes = Math.max(grows ? Math.ceil(limit.maxBytes * GROWTH) : limit.maxBytes, bytes);
  if (maxBytes >= FORGOTTEN_AT_BYTES) return undefined;
  if (maxBytes === limit.maxBytes && takenBytes === limit.takenBytes) return limit;
  return {
    ...{ maxBytes, takenBytes, growAfterMs: limit.growAfterMs },
    growAtMs: grows ? nowMs + limit.growAfterMs : limit.growAtMs,
  };
}

/** As Redis keeps it: four numbers, the limit in bytes first, which the freezing script reads; '' for none. */
export const sizeLimitText = (limit: SizeLimit | undefined): string =>
  limit === undefined ? '' : [limit.maxBytes, limit.takenBytes, limit.growAtMs, limit.growAfterMs].join(' ');

export function readSizeLimit(text: string): SizeLimit | undefined {
  const match = /^(\d+) (\d+) (\d+) (\d+)$/.exec(text);
  if (match === null) return undefined;
  const [maxBytes, takenBytes, growAtMs, growAfterMs] = match.slice(1).map(Number) as [number, number, number, number];
  return { maxBytes, takenBytes, growAtMs, growAfterMs };
}
