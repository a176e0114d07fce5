import type { BreakerState, SizeLimit, TraceContext } from '@mailhook/core';
import { TRACE_SEPARATOR } from './constants.ts';
import { readSizeLimit } from '@mailhook/core';
import { acceptedAtMs, fragmentsOf, traceOf } from './entry.ts';

/** A frozen batch. Every attempt sends the same content. */
export interface FrozenBatch {
  /** Names the batch (or resend record) when it is settled. */
  readonly id: string;
  /** `f` fresh, `u` unsubscribes, `x` a resend. */
  readonly lane: 'f' | 'u' | 'x';
  /** Freezings for a send, this one included. */
  readonly attempt: number;
  readonly events: number;
  /** When the oldest of its events was accepted, Unix milliseconds. */
  readonly acceptedAtMs: number;
  readonly content: string;
  /** The `webhook-id` of earlier attempts; '' before the first failure. */
  readonly webhookId: string;
  readonly step: number;
  readonly search: string;
  /** Different trace contexts of its events, at most `TRACES_MAX`. A resend keeps fewer of its first attempt. */
  readonly traces: readonly TraceContext[];
}

/** A destination's record at the time of freezing. */
export interface SendTarget {
  readonly address: string;
  readonly version: string;
  readonly account: string;
  /** Signing secrets and custom headers, as `formatCredentials` writes them. */
  readonly credentials: string;
  /** The largest request that the receiver accepts, if known. */
  readonly sizeLimit: SizeLimit | undefined;
  /** Its last attempt succeeded. */
  readonly isProven: boolean;
}

/**
 * - ok: continue (with batches, or with some in flight)
 * - again: call again at once
 * - idle: empty, released
 * - parked: released until the breaker's probe or the end of a pause
 * - released: on a ready list again
 * - give up: give up all events
 * - expired: give up the expired events
 * - unknown: released, because the destination has no record
 * - refused: another worker owns the destination
 * - lost: Redis has more frozen batches than the caller knows
 */
export type DrainStatus =
  'ok' | 'again' | 'idle' | 'parked' | 'released' | 'give up' | 'expired' | 'unknown' | 'refused' | 'lost';

export interface DrainReply {
  readonly destination: string;
  readonly status: DrainStatus;
  readonly token: string;
  readonly breaker: BreakerState;
  readonly target: SendTarget | undefined;
  readonly batches: readonly FrozenBatch[];
  /** Whether the batch was frozen on the short path, so that the drain can go on with `nextSingle`. */
  readonly isSingle?: boolean;
}

/** A reply in the form of ioredis. */
export type Reply = unknown[];

export function readReply(reply: Reply): DrainReply {
  const [
    destination,
    status,
    token,
    bf,
    bp,
    remaining,
    address,
    version,
    credentials,
    account,
    size,
    proven,
    ...batches
  ] = reply as [
    string,
    DrainStatus,
    string,
    number?,
    number?,
    number?,
    string?,
    string?,
    string?,
    string?,
    string?,
    number?,
    ...unknown[],
  ];
  return {
    destination,
    status,
    token,
    breaker: { failures: bf ?? 0, parkMs: bp ?? 0, parkedUntilMs: untilOf(remaining ?? -1) },
    target:
      address === undefined
        ? undefined
        : {
            address,
            version: version ?? '0',
            account: account ?? '',
            credentials: credentials ?? '',
            sizeLimit: readSizeLimit(size ?? ''),
            isProven: proven === 1,
          },
    batches: (batches as Reply[]).map(readBatch),
  };
}

/** Converts to this worker's clock. A time in the past stays a time, because a probe depends on it. */
const untilOf = (remainingMs: number): number => (remainingMs < 0 ? 0 : Date.now() + remainingMs);

/** Default maximum of links per span. */
const TRACES_MAX = 128;
const NO_TRACES: readonly TraceContext[] = [];

function readBatch(batch: Reply): FrozenBatch {
  return typeof batch[4] === 'string' ? readResend(batch as ResendReply) : readFresh(batch as FreshReply);
}

type FreshReply = [id: string, lane: 'f' | 'u', attempt: number, events: number, entries: string[]];
type ResendReply = [
  ...[id: string, lane: 'x', attempt: number, events: number, body: string],
  ...[at: string, webhookId: string, step: string, search: string, traces?: string],
];

/** Reads a batch of new events. */
export function readFresh([id, lane, attempt, events, entries]: FreshReply): FrozenBatch {
  const [first = ''] = entries;
  const content = entries.length === 1 ? fragmentsOf(first) : entries.map(fragmentsOf).join('\n');
  // No spread, here and below: it makes objects several times as large.
  return {
    id,
    lane,
    attempt,
    events,
    acceptedAtMs: acceptedAtMs(first),
    content,
    webhookId: '',
    step: 0,
    search: '',
    traces: tracesOf(entries),
  };
}

function tracesOf(entries: readonly string[]): readonly TraceContext[] {
  let traces: Set<TraceContext> | undefined;
  for (const entry of entries) {
    const context = traceOf(entry);
    if (context === undefined) continue;
    traces ??= new Set();
    traces.add(context);
    if (traces.size === TRACES_MAX) break;
  }
  return traces === undefined ? NO_TRACES : [...traces];
}

function readResend([id, lane, attempt, events, content, at, webhookId, step, search, kept]: ResendReply): FrozenBatch {
  const traces = kept === undefined ? NO_TRACES : kept.split(TRACE_SEPARATOR);
  return {
    id,
    lane,
    attempt,
    events,
    acceptedAtMs: acceptedAtMs(at),
    content,
    webhookId,
    step: Number(step),
    search,
    traces,
  };
}
