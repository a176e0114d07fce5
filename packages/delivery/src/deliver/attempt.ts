import type { FollowUp, LocalFault, Outcome, SentBatch, SettlePolicy, Settlement } from '@mailhook/core';
import { errorText, partToSend, settlement } from '@mailhook/core';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import { KEPT_TRACES_MAX, TRACE_SEPARATOR } from '../mailbox/constants.ts';
import { timeText } from '../mailbox/entry.ts';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { Attempt, Sent } from '../record/attempt.ts';
import type { FollowUpTuple, SettleTuple, TriedTuple } from '../mailbox/commands.ts';

/** What differs between the two mechanisms. */
export interface Sender {
  /** The `webhook-id` of a batch that is sent for the first time. */
  webhookId(batch: FrozenBatch): string;
  /** Sends the events of `batch`. Resolves even when the receiver fails. */
  send(batch: FrozenBatch, target: SendTarget, webhookId: string, handle: RequestHandle): Promise<Sent | NotSent>;
}

/** Nothing was sent because of a local fault. No attempt is used up, and the same batch is sent later. */
export interface NotSent {
  readonly localFault: LocalFault;
}

/** A settle that is not written to Redis yet. `bodies` holds the body of each follow-up that needs one. */
export interface PendingSettle {
  readonly tuple: SettleTuple;
  readonly bodies: readonly (string | undefined)[];
  /** Set when Redis decides between dead letters and a resend to a new address. The attempt is then reported after the settle. */
  readonly unreported?: Attempt;
}

/** Whether an attempt failed only because of its address. If the address has changed since, the events go to the new address. */
export const judgesAddress = ({ sent: { outcome } }: Attempt): boolean =>
  outcome.name === 'blocked' || outcome.httpStatus === 410;

/** Builds the settle that writes an attempt to Redis. Call it once per attempt, so that a repeated settle has the same ids. */
export function settleOf(attempt: Attempt, newId: () => string): PendingSettle {
  const { batch, target, settlement: result } = attempt;
  if (result.followUps.length === 0) return { tuple: [batch.id, result.delivered, [], batch.attempt], bodies: [] };
  const bodies: (string | undefined)[] = [];
  const followUps = result.followUps.map((followUp) => {
    const isSameRecord = followUp.identity === 'batch' && followUp.type !== 'dead';
    bodies.push(isSameRecord && batch.lane === 'x' ? undefined : followUp.fragments);
    return tupleOf(attempt, followUp, isSameRecord ? batch.id : newId());
  });
  if (followUps.every(([type]) => type !== 'd'))
    return { tuple: [batch.id, result.delivered, followUps, batch.attempt], bodies };
  const judges = judgesAddress(attempt);
  const tried: TriedTuple = [target.address, target.version, judges ? 1 : 0];
  return {
    tuple: [batch.id, result.delivered, followUps, batch.attempt, tried],
    bodies,
    ...(judges ? { unreported: attempt } : {}),
  };
}

/** The same attempt when its events are resent to a new address instead of becoming dead letters. */
export function resentToNewAddress(attempt: Attempt): Attempt {
  const { settlement } = attempt;
  const followUps = settlement.followUps.map((one) =>
    one.type === 'dead' ? { ...one, type: 'send-now' as const } : one,
  );
  return { ...attempt, settlement: { ...settlement, followUps } };
}

const TYPES = { resend: 'x', 'send-now': 'q', dead: 'd' } as const;

function tupleOf(attempt: Attempt, followUp: FollowUp, id: string): FollowUpTuple {
  const { batch, sent } = attempt;
  return [
    TYPES[followUp.type],
    id,
    webhookIdOf(attempt, followUp, id),
    followUp.step,
    followUp.refusedOnly ? 1 : 0,
    followUp.split,
    followUp.events,
    batch.attempt,
    followUp.reason ?? sent.outcome.error ?? '',
    followUp.waitMs,
    0,
    timeText(batch.acceptedAtMs),
    followUp.search,
    ...(batch.traces.length === 0
      ? ([] as const)
      : ([batch.traces.slice(0, KEPT_TRACES_MAX).join(TRACE_SEPARATOR)] as const)),
  ];
}

/** Two different contents never share a `webhook-id`. */
function webhookIdOf({ batch, webhookId }: Attempt, { identity }: FollowUp, id: string): string {
  switch (identity) {
    case 'batch':
      return batch.webhookId === '' ? webhookId : batch.webhookId;
    case 'request':
      return webhookId;
    case 'new':
      return `msg_${id}`;
  }
}

/** The batch in the form that `core` works with. */
export const sentBatchOf = (
  { content, events, step, refusedOnly, split, search }: FrozenBatch,
  { sizeLimit }: SendTarget,
): SentBatch => ({ fragments: content, events, step, refusedOnly, split, search, sizeLimit });

/**
 * The part of a batch that the next request carries, usually all of it. During a poison search and after a 413 it may be smaller. Its
 * `webhook-id` then names the positions of its events.
 */
function requestFor(batch: FrozenBatch, whole: SentBatch, webhookId: string): { sent: FrozenBatch; webhookId: string } {
  if (batch.split === '' && batch.search === '') return { sent: batch, webhookId };
  const { fragments, events, from } = partToSend(whole);
  const sent = { ...batch, content: fragments, events };
  // In records of an earlier version, each half has a separate id.
  const isNamedByRecord = events === batch.events || batch.split === 'first' || batch.split === 'second';
  return { sent, webhookId: isNamedByRecord ? webhookId : `${webhookId}-${from}-${from + events}` };
}

/** A batch and its target. */
interface Order {
  readonly destination: string;
  readonly batch: FrozenBatch;
  readonly target: SendTarget;
}

/** Sends a batch and decides what follows, or returns why nothing was sent. Never rejects. */
export async function attemptBatch(
  deps: { readonly sender: Sender; readonly policy: SettlePolicy; readonly onError: (error: Error) => void },
  { destination, batch, target }: Order,
  handle: RequestHandle,
): Promise<Attempt | NotSent> {
  const whole = sentBatchOf(batch, target);
  const request = requestFor(batch, whole, batch.webhookId === '' ? deps.sender.webhookId(batch) : batch.webhookId);
  const { webhookId } = request;
  const startedAtMs = performance.now();
  let sent: Sent | NotSent;
  try {
    sent = await deps.sender.send(request.sent, target, webhookId, handle);
  } catch (error) {
    // A bug in Mailhook must not lose the batch, so it counts as a failed attempt.
    deps.onError(error as Error);
    sent = {
      outcome: internalFailure(error as Error),
      durationMs: performance.now() - startedAtMs,
      events: request.sent.events,
      eventKeys: [],
    };
  }
  if ('localFault' in sent) return sent;
  const endedAtMs = Date.now();
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
