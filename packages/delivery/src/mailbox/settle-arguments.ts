import { KEPT_TRACES_MAX, TRACE_SEPARATOR } from './constants.ts';
import { timeText } from './entry.ts';

/** The result of an attempt, as a settle writes it to Redis. A repeated settle of the same attempt changes nothing. */
export interface Settle {
  /** The batch's id. */
  readonly batch: string;
  readonly attempt: number;
  /** Number of delivered events. */
  readonly delivered: number;
  /** What the event log keeps of the delivered events (`outcomeText`). Absent if it is off, or none is delivered. */
  readonly sent?: string | undefined;
  /** The records of the other events. */
  readonly followUps: readonly FollowUpRecord[];
  /** The version of the destination's record that the attempt used. Needed if a follow-up is a dead letter. */
  readonly tried?: { readonly address: string; readonly version: number; readonly isOnlyAddressAtFault: boolean };
}

/** A resend that is due after `waitMs` or immediately (`send-now`), or a dead letter. */
export interface FollowUpRecord {
  readonly type: 'resend' | 'send-now' | 'dead';
  readonly id: string;
  readonly webhookId: string;
  readonly events: number;
  /** Undefined for a resend that failed again, because its record already has the body. */
  readonly body: string | undefined;
  /** The number of the failed attempt. */
  readonly attempt: number;
  readonly error: string;
  readonly waitMs: number;
  readonly acceptedAtMs: number;
  readonly step: number;
  readonly search: string;
  readonly traces: readonly string[];
  /** Of a dead letter: what the event log keeps of its events. */
  readonly sent?: string;
}

/** The part of a settle that most do not need, for `lua/includes/settle.lua`. `body` is a position in ARGV. */
export interface RareSettle {
  readonly followUps: readonly object[];
  readonly tried?: Settle['tried'];
}

/**
 * The follow-ups of a settle, or undefined if it has none.
 *
 * @param firstBody the position in ARGV of the first of `bodies`, to which this adds.
 */
export function rareSettle(settle: Settle, firstBody: number, bodies: string[]): RareSettle | undefined {
  if (settle.followUps.length === 0) return undefined;
  const followUps = settle.followUps.map(({ body, acceptedAtMs, traces, ...others }) => {
    if (body !== undefined) bodies.push(body);
    return {
      ...others,
      acceptedAt: timeText(acceptedAtMs),
      body: body === undefined ? undefined : firstBody + bodies.length - 1,
      traces: traces.length === 0 ? undefined : traces.slice(0, KEPT_TRACES_MAX).join(TRACE_SEPARATOR),
    };
  });
  return settle.tried === undefined ? { followUps } : { followUps, tried: settle.tried };
}
