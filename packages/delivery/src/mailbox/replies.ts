import type { BreakerState, SizeLimit, SplitStage, TraceContext } from '@mailhook/core';
import { TRACE_SEPARATOR } from './constants.ts';
import { BREAKER_CLOSED, readSizeLimit } from '@mailhook/core';
import type { AppendGroup } from './entry.ts';
import { acceptedAtMs, eventsOf, fragmentsOf, traceOf } from './entry.ts';

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
  readonly refusedOnly: boolean;
  readonly split: SplitStage;
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
 * - released: on a ready list again, or left to a worker of a newer version
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

/** The id of a claim's only batch is the claim's token and this suffix. See `lua/includes/single.lua`. */
const SINGLE_BATCH = '.0.1';

/** The values of a claim on the short path that follow the destination or the number of its group (`lua/includes/single.lua`). */
type SingleClaim = [claim: number, address: string, version: string, credentials: string, proven: string];

/** A claim on the short path as a reply, the same that the long path gives. */
function singleReply(
  worker: string,
  [claim, address, version, credentials, proven]: SingleClaim,
  { destination, account, lane }: Pick<AppendGroup, 'destination' | 'account' | 'lane'>,
  entry: string,
): DrainReply {
  const token = `${worker}.${claim}`;
  return {
    destination,
    status: 'ok',
    token,
    breaker: BREAKER_CLOSED,
    target: { address, version, account, credentials, sizeLimit: undefined, isProven: proven === '1' },
    batches: [readFresh([token + SINGLE_BATCH, lane, 1, eventsOf(entry), [entry]])],
    isSingle: true,
  };
}

/** Reads the short-path claims of an append. Their entries are in the groups. */
export function readAppendedSingles(rows: Reply, worker: string, groups: readonly AppendGroup[]): DrainReply[] {
  const replies: DrainReply[] = [];
  for (let at = 0; at < rows.length; at += 6) {
    const group = groups[(rows[at] as number) - 1] as AppendGroup;
    replies.push(singleReply(worker, rows.slice(at + 1, at + 6) as SingleClaim, group, group.entries[0] ?? ''));
  }
  return replies;
}

/** Reads the short-path claims of a take. */
export function readTakenSingles(rows: Reply, worker: string): DrainReply[] {
  const replies: DrainReply[] = [];
  for (let at = 0; at < rows.length; at += 8) {
    const [account, entry] = rows.slice(at + 6, at + 8) as [account: string, entry: string];
    const from = { destination: rows[at] as string, account, lane: 'f' as const };
    replies.push(singleReply(worker, rows.slice(at + 1, at + 6) as SingleClaim, from, entry));
  }
  return replies;
}

/** Why the long path must go on: `next` must settle (unchanged), or only freeze (settled). */
export type LongPath = 'unchanged' | 'settled';

/** Reads the reply of a step on the short path: a number, or the next entry. `call` is the number of the call. */
export function readSingleStep(
  reply: number | string,
  { destination, token }: { readonly destination: string; readonly token: string },
  call: string,
): DrainReply | LongPath {
  if (reply === 0) return 'unchanged';
  if (reply === 1) return 'settled';
  const common = { destination, token, breaker: BREAKER_CLOSED, target: undefined };
  if (typeof reply === 'number') return { ...common, status: 'idle', batches: [] };
  const batches = [readFresh([`${token}.${call}.1`, 'f', 1, eventsOf(reply), [reply]])];
  return { ...common, status: 'ok', batches, isSingle: true };
}

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
  ...[at: string, webhookId: string, step: string, refused: string, split: SplitStage, search: string, traces?: string],
];

function readFresh([id, lane, attempt, events, entries]: FreshReply): FrozenBatch {
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
    refusedOnly: true,
    split: '',
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

function readResend([
  id,
  lane,
  attempt,
  events,
  content,
  at,
  webhookId,
  step,
  refused,
  split,
  search,
  kept,
]: ResendReply): FrozenBatch {
  const refusedOnly = refused === '1';
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
    refusedOnly,
    split,
    search,
    traces,
  };
}
