import type { FollowUp, LocalFault, Outcome, SettlePolicy, Settlement } from '@mailhook/core';
import { errorText, settlement } from '@mailhook/core';
import { KEPT_TRACES_MAX, TRACE_SEPARATOR } from '../scripts/drain-reply.ts';
import type { FrozenBatch, SendTarget } from '../scripts/drain-reply.ts';
import type { FollowUpTuple } from '../scripts/scripts.ts';
import type { PendingSettle } from './drain.ts';

/** What differs between the two mechanisms. */
export interface Sender {
  /** The `webhook-id` of a batch that is sent for the first time. */
  webhookId(batch: FrozenBatch): string;
  /** Sends what the batch's stage asks for. Resolves with how it went; a receiver's failure is no exception. */
  send(batch: FrozenBatch, target: SendTarget, webhookId: string): Promise<Sent | NotSent>;
}

/** For a local cause nothing was sent: it is no attempt, and the same batch is to be sent later. */
export interface NotSent {
  readonly localFault: LocalFault;
}

export interface Sent {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** How many events the request carried. */
  readonly events: number;
  /** What its events are asked for by: campaign events' hashes, a notification's `messageId`. */
  readonly eventKeys: readonly string[];
}

/** An attempt that is over, for the log, the metrics and the engine. */
export interface Attempt {
  readonly destination: string;
  readonly batch: FrozenBatch;
  readonly target: SendTarget;
  readonly webhookId: string;
  readonly sent: Sent;
  readonly settlement: Settlement;
  readonly endedAtMs: number;
}

/** The settle that tells Redis of an attempt. Ids of new batches follow from the old one's, so that a repeated settle is the same settle. */
export function settleOf(attempt: Attempt): PendingSettle {
  const { batch, settlement: result } = attempt;
  if (result.followUps.length === 0) return { tuple: [batch.id, result.delivered, [], batch.attempt], bodies: [] };
  const bodies: (string | undefined)[] = [];
  const followUps = result.followUps.map((followUp, i) => {
    const isKept = followUp.same && batch.lane === 'x' && followUp.type !== 'dead';
    bodies.push(isKept ? undefined : followUp.fragments);
    return tupleOf(attempt, followUp, i);
  });
  return { tuple: [batch.id, result.delivered, followUps, batch.attempt], bodies };
}

const TYPES = { resend: 'x', 'send-now': 'q', dead: 'd' } as const;

function tupleOf({ batch, webhookId, sent }: Attempt, followUp: FollowUp, i: number): FollowUpTuple {
  const id =
    followUp.same && followUp.type !== 'dead' ? batch.id : `${batch.id}-${batch.attempt.toString(36)}${i.toString(36)}`;
  return [
    TYPES[followUp.type],
    id,
    followUp.same ? webhookId : `msg_${id}`,
    followUp.step,
    followUp.refusedOnly ? 1 : 0,
    followUp.split,
    followUp.events,
    batch.attempt,
    sent.outcome.error ?? '',
    followUp.waitMs,
    0,
    batch.acceptedAtMs.toString(36),
    ...(batch.traces.length === 0
      ? ([] as const)
      : ([batch.traces.slice(0, KEPT_TRACES_MAX).join(TRACE_SEPARATOR)] as const)),
  ];
}

/** Sends a batch and decides what follows, or returns why nothing was sent. Never rejects. */
export async function attemptBatch(
  deps: { readonly sender: Sender; readonly policy: SettlePolicy; readonly onError: (error: Error) => void },
  destination: string,
  batch: FrozenBatch,
  target: SendTarget,
): Promise<Attempt | NotSent> {
  const webhookId = batch.webhookId === '' ? deps.sender.webhookId(batch) : batch.webhookId;
  const startedAtMs = performance.now();
  let sent: Sent | NotSent;
  try {
    sent = await deps.sender.send(batch, target, webhookId);
  } catch (error) {
    // A fault of ours must not lose the batch: it is a failed attempt like any other.
    deps.onError(error as Error);
    sent = {
      outcome: internalFailure(error as Error),
      durationMs: performance.now() - startedAtMs,
      events: batch.events,
      eventKeys: [],
    };
  }
  if ('localFault' in sent) return sent;
  const endedAtMs = Date.now();
  const { events, step, refusedOnly, split } = batch;
  const whole = { fragments: batch.content, events, step, refusedOnly, split };
  const settle = (outcome: Outcome): Settlement => settlement(whole, outcome, deps.policy, Math.random(), endedAtMs);
  let result: Settlement;
  try {
    result = settle(sent.outcome);
  } catch (error) {
    deps.onError(error as Error);
    sent = { ...sent, outcome: internalFailure(error as Error) };
    result = settle(sent.outcome);
  }
  return { destination, batch, target, webhookId, sent, settlement: result, endedAtMs };
}

const internalFailure = (error: Error): Outcome => ({
  name: 'unreachable',
  httpStatus: undefined,
  error: errorText(`the request could not be made: ${error.message}`),
  unconfirmed: 'all',
  retryAfter: undefined,
});
