import { replayOf, SHAPES } from '@mailhook/core';
import type { Shape, TraceContext } from '@mailhook/core';
import { TRACE_SEPARATOR } from './constants.ts';
import { acceptedAtMs, fragmentsOf, traceOf } from './entry.ts';
import type { Lane } from './layout.ts';
import { readTarget } from './records.ts';
import type { Target } from './records.ts';
import type { MailboxState, WindowBatch } from './state.ts';
import { NO_STATE, readState } from './state.ts';

/** A frozen batch. Every attempt sends the same content. */
export interface FrozenBatch {
  /** Names the batch (or resend record) when it is settled. */
  readonly id: string;
  readonly lane: Lane;
  /** Freezings for a send, this one included. */
  readonly attempt: number;
  readonly events: number;
  /** When the oldest of its events was accepted, Unix milliseconds. */
  readonly acceptedAtMs: number;
  readonly fragments: string;
  /** How the request carries its events. */
  readonly shape: Shape;
  /** The `webhook-id` of earlier attempts; '' before the first failure. */
  readonly webhookId: string;
  readonly step: number;
  readonly search: string;
  /** Different trace contexts of its events, at most `TRACES_MAX`. A resend keeps fewer of its first attempt. */
  readonly traces: readonly TraceContext[];
  /** Id of the replay that its events belong to, '' for none. */
  readonly replay: string;
}

/** A destination's record at the time of freezing. */
export type SendTarget = Omit<Target, 'reason'> & { readonly version: number };

/**
 * - ok: continue (with batches, or with some in flight)
 * - again: call again immediately
 * - idle: empty, released
 * - parked: released until the breaker's probe or the end of a pause
 * - released: on a ready list again
 * - give up: give up all events
 * - expired: give up the expired events
 * - unknown: released, because the destination has no record
 * - refused: another worker owns the destination
 * - lost: Redis has more frozen batches than the caller knows
 */
type DrainStatus =
  | 'ok'
  | 'again'
  | 'idle'
  | 'parked'
  | 'released'
  | 'give up'
  | 'expired'
  | 'unknown'
  | 'refused'
  | 'lost';

export interface DrainReply {
  readonly destination: string;
  readonly status: DrainStatus;
  /** After the call. `NO_STATE` for a mailbox that has none any more, and for a refused one. */
  readonly state: MailboxState;
  /** The time of the commands, of which the state's times are. */
  readonly nowMs: number;
  /** With a claim, and whenever the record has changed. */
  readonly target: Target | undefined;
  /** Batches that the worker does not have yet. */
  readonly batches: readonly FrozenBatch[];
}

/** A part of a reply: numbers, and texts as bytes. */
export type Row = number | Buffer;

const text = (row: Row | undefined): string => (row === undefined ? '' : row.toString());

/** Reads the replies of `lua/includes/finish.lua` one after the other. */
export class ReplyReader {
  readonly #rows: readonly Row[];
  readonly #nowMs: number;
  #at = 0;

  constructor(rows: readonly Row[], nowMs: number) {
    this.#rows = rows;
    this.#nowMs = nowMs;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#rows.length;
  }

  next(): Row | undefined {
    const row = this.#rows[this.#at];
    this.#at += 1;
    return row;
  }

  /**
   * @param known ids of the batches that the worker has, if Redis returns all others. Undefined if Redis returns only
   * those that the call has frozen.
   */
  reply(destination: string, target: Buffer | null | undefined, known: readonly string[] | undefined): DrainReply {
    const status = text(this.next()) as DrainStatus;
    const bytes = this.next() as Buffer;
    const before = Number(this.next());
    const end = this.#at + 1 + Number(this.next());
    const state = bytes.length === 0 ? NO_STATE : readState(bytes);
    // Only the caller knows whether it has the batches of a lost reply.
    const batches = status === 'lost' ? [] : this.#batches(state, before, known);
    this.#at = end;
    return {
      destination,
      status,
      state,
      nowMs: this.#nowMs,
      target: target == null ? undefined : readTarget(target),
      batches,
    };
  }

  /** The batches whose contents follow, in their order. `before`: how many are not new. */
  #batches({ window }: MailboxState, before: number, known: readonly string[] | undefined): FrozenBatch[] {
    const batches: FrozenBatch[] = [];
    for (let i = 0; i < window.length; i += 1) {
      const batch = window[i] as WindowBatch;
      if (i < before && (batch.isSettled || known === undefined || known.includes(batch.id))) continue;
      batches.push(batch.lane === 'x' ? this.#resend(batch) : this.#fresh(batch));
    }
    return batches;
  }

  #fresh(batch: WindowBatch): FrozenBatch {
    const first = text(this.next());
    let fragments = fragmentsOf(first);
    const entries = [first];
    while (entries.length < batch.entries) {
      const entry = text(this.next());
      entries.push(entry);
      fragments += `\n${fragmentsOf(entry)}`;
    }
    return {
      id: batch.id,
      lane: batch.lane,
      attempt: batch.attempt,
      events: batch.events,
      acceptedAtMs: acceptedAtMs(first),
      fragments,
      shape: shapeOf(batch),
      webhookId: '',
      step: 0,
      search: '',
      ...marksOf(entries.map(traceOf)),
    };
  }

  #resend(batch: WindowBatch): FrozenBatch {
    const { id, lane, attempt, events } = batch;
    const [fragments, acceptedAt, webhookId, step, search, traces] = [1, 2, 3, 4, 5, 6].map(() => text(this.next()));
    return {
      id,
      lane,
      attempt,
      events,
      acceptedAtMs: acceptedAtMs(acceptedAt ?? ''),
      fragments: fragments ?? '',
      shape: shapeOf(batch),
      webhookId: webhookId ?? '',
      step: Number(step),
      search: search ?? '',
      ...(traces === undefined || traces === '' ? NO_MARKS : marksOf(traces.split(TRACE_SEPARATOR))),
    };
  }
}

const shapeOf = ({ shape }: WindowBatch): Shape => SHAPES[shape] ?? 'single';

/** Default maximum of links per span. */
const TRACES_MAX = 128;
type Marks = Pick<FrozenBatch, 'traces' | 'replay'>;

const NO_MARKS: Marks = { traces: [], replay: '' };

/** What the marks of a batch's entries say. All entries of replayed events have the mark of the same replay. */
function marksOf(marks: readonly (TraceContext | undefined)[]): Marks {
  let traces: Set<TraceContext> | undefined;
  for (const mark of marks) {
    if (mark === undefined) continue;
    const replay = replayOf(mark);
    if (replay !== undefined) return { traces: [], replay };
    traces ??= new Set();
    traces.add(mark);
    if (traces.size === TRACES_MAX) break;
  }
  return traces === undefined ? NO_MARKS : { traces: [...traces], replay: '' };
}
