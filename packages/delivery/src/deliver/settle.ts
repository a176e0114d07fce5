import type { FollowUp } from '@mailhook/core';
import { eventsIn, FRAGMENT_SEPARATOR, isAddressAtFault, readOrigin, replayMark, withOrigin } from '@mailhook/core';
import { outcomeText } from '../mailbox/outcome-text.ts';
import type { FollowUpRecord, Settle } from '../mailbox/settle-arguments.ts';
import type { Attempt } from '../record/attempt.ts';
import type { EngineObserver } from './observer.ts';

/** A settle that is not written to Redis yet. */
export interface PendingSettle extends Settle {
  /**
   * The attempt, if it is reported only after the settle. Redis then decides whether its events become dead letters or
   * are resent to a new address. Undefined if the attempt is reported at once.
   */
  readonly unreported?: Attempt;
}

/**
 * Builds the settle that writes an attempt to Redis. Call it once per attempt, so that a repeated settle has the same
 * ids. With the event log on, it also says what the log keeps of the events that were delivered or given up.
 */
export function buildSettle(attempt: Attempt, newId: () => string, isLogOn = false): PendingSettle {
  const { batch, target, settlement: result } = attempt;
  const followUps = result.followUps.map((followUp) => recordOf(attempt, followUp, newId, isLogOn));
  const sent = isLogOn ? deliveredText(attempt) : undefined;
  const settle = { batch: batch.id, attempt: batch.attempt, delivered: result.delivered, sent, followUps };
  if (followUps.every(({ type }) => type !== 'dead')) return settle;
  // If the address has changed since, the events go to the new address.
  const isOnlyAddressAtFault = isAddressAtFault(attempt.sent.outcome);
  return {
    ...settle,
    tried: { address: target.address, version: target.version, isOnlyAddressAtFault },
    ...(isOnlyAddressAtFault ? { unreported: attempt } : {}),
  };
}

/** The same attempt when its events are resent to a new address instead of becoming dead letters. */
function resentToNewAddress(attempt: Attempt): Attempt {
  const { settlement } = attempt;
  const followUps = settlement.followUps.map((one) =>
    one.type === 'dead' ? { ...one, type: 'send-now' as const } : one,
  );
  return { ...attempt, settlement: { ...settlement, followUps } };
}

function recordOf(attempt: Attempt, followUp: FollowUp, newId: () => string, isLogOn: boolean): FollowUpRecord {
  const { batch, sent } = attempt;
  const { type, events, waitMs, step, search } = followUp;
  const isSameRecord = followUp.identity === 'batch' && type !== 'dead';
  const id = isSameRecord ? batch.id : newId();
  const webhookId = webhookIdOf(attempt, followUp, id);
  return {
    ...(isLogOn && type === 'dead' ? { sent: outcomeText(webhookId, followUp.fragments, batch.replay) } : {}),
    type,
    id,
    events,
    waitMs,
    step,
    search: withOrigin(search, readOrigin(batch.search) ?? { id: batch.id, attempt: batch.attempt }),
    webhookId,
    body: isSameRecord && batch.lane === 'x' ? undefined : followUp.fragments,
    attempt: batch.attempt,
    error: (followUp.reason ?? sent.outcome.error)?.packed ?? '',
    acceptedAtMs: batch.acceptedAtMs,
    traces: batch.replay === '' ? batch.traces : [replayMark(batch.replay)],
  };
}

/** What the event log keeps of the delivered events: those of the batch that are in no follow-up. */
function deliveredText({ batch, webhookId, settlement: { delivered, followUps } }: Attempt): string | undefined {
  if (delivered === 0) return undefined;
  if (followUps.length === 0) return outcomeText(webhookId, batch.fragments, batch.replay);
  const others = new Set(followUps.flatMap(({ fragments }) => eventsIn(fragments)));
  const own = eventsIn(batch.fragments).filter((fragment) => !others.has(fragment));
  return outcomeText(webhookId, own.join(FRAGMENT_SEPARATOR), batch.replay);
}

/**
 * The `webhook-id` of a follow-up. An id is kept only for the same events, so two contents never share one.
 * - `batch`: the follow-up has the events of the whole batch. It keeps the id of the batch, which the first request
 *   gave it.
 * - `request`: the follow-up has exactly the events of this request, a part of the batch. It keeps the id of this
 *   request.
 * - `new`: the follow-up has other events than the batch and the request. Its id comes from its new record and was
 *   never sent.
 */
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

/**
 * Ids for the batches and dead letters that follow an attempt, made of letters, digits and dashes. `worker` is unique
 * per process, so no id is used twice, even when Redis lost its newest writes and an attempt ends differently the
 * second time.
 */
export function batchIds(worker: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${worker}-${count.toString(36)}`;
  };
}

/**
 * Reports the settles of a call: their follow-ups, and the attempts that waited for Redis. `follow`: ids of batches
 * that go to a new address. `isRefused`: another worker owns the destination and sends their events again.
 */
export function reportSettles(
  { destination, account }: { readonly destination: string; readonly account: string },
  settles: readonly PendingSettle[],
  { follow, isRefused }: { readonly follow: ReadonlySet<string>; readonly isRefused: boolean },
  observer: Pick<EngineObserver, 'attempt' | 'followUps'>,
): void {
  const followUps: FollowUpRecord[] = [];
  for (const settle of settles) {
    const isElsewhere = isRefused || follow.has(settle.batch);
    const { unreported } = settle;
    if (unreported !== undefined) observer.attempt(isElsewhere ? resentToNewAddress(unreported) : unreported);
    if (isRefused) continue;
    followUps.push(...(isElsewhere ? settle.followUps.filter(({ type }) => type !== 'dead') : settle.followUps));
  }
  if (followUps.length > 0) observer.followUps(destination, account, followUps);
}
