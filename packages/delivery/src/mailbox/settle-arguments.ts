import { KEPT_TRACES_MAX, TRACE_SEPARATOR } from './constants.ts';
import { timeText } from './entry.ts';

/** The result of an attempt, as a settle writes it to Redis. A repeated settle of the same attempt changes nothing. */
export interface Settle {
  /** The batch's id. */
  readonly batch: string;
  readonly attempt: number;
  /** Number of delivered events. */
  readonly delivered: number;
  /** The records of the other events. */
  readonly followUps: readonly FollowUpRecord[];
  /** The version of the destination's record that the attempt used. Needed if a follow-up is a dead letter. */
  readonly tried?: { readonly address: string; readonly version: string; readonly isOnlyAddressAtFault: boolean };
}

/** A resend that is due after `waitMs` or at once (`send-now`), or a dead letter. */
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
}

const TYPES = { resend: 'x', 'send-now': 'q', dead: 'd' } as const;

/** The position in ARGV of the first body, after the JSON with the settles. */
const FIRST_BODY = 6;

/** A settle in the form of `lua/includes/settle.lua`. Appends its bodies to `bodies`, which all settles of a call share. */
export function settleArguments({ batch, attempt, delivered, followUps, tried }: Settle, bodies: string[]): unknown[] {
  const rows = followUps.map((followUp) => followUpArguments(followUp, bodies));
  const settle = [batch, delivered, rows, attempt];
  return tried === undefined ? settle : [...settle, [tried.address, tried.version, tried.isOnlyAddressAtFault ? 1 : 0]];
}

function followUpArguments(record: FollowUpRecord, bodies: string[]): unknown[] {
  if (record.body !== undefined) bodies.push(record.body);
  const row = [
    TYPES[record.type],
    record.id,
    record.webhookId,
    record.step,
    record.events,
    record.attempt,
    record.error,
    record.waitMs,
    record.body === undefined ? 0 : FIRST_BODY + bodies.length - 1,
    timeText(record.acceptedAtMs),
    record.search,
  ];
  return record.traces.length === 0 ? row : [...row, record.traces.slice(0, KEPT_TRACES_MAX).join(TRACE_SEPARATOR)];
}
