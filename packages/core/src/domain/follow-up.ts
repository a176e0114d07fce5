import type { Outcome } from './outcome.ts';
import { beginSearch, searchedPart, searchSettlement } from './poison-search.ts';
import { readSearch } from './search-state.ts';
import { nextStep, withJitter } from './retry.ts';
import { isRefusal, isSuspect } from './refusal.ts';
import { pick } from './sent-batch.ts';
import type { FollowUp, Part, SentBatch, Settlement, SettlePolicy } from './sent-batch.ts';
import { firstPart, fittingSize, otherParts, REFUSED_AT_ANY_SIZE, smallerCut } from './size-cut.ts';

/**
 * Decides what follows an attempt (docs/protocol.md). The follow-ups can be a resend, a new batch of the unconfirmed
 * events, smaller requests after a 413, a search for poison events, or a dead letter.
 *
 * @param random in [0, 1), for the jitter and the search.
 * @param nowMs Unix milliseconds, to read a `Retry-After` that is a date.
 */
export function settlement(
  batch: SentBatch,
  outcome: Outcome,
  policy: SettlePolicy,
  random: number,
  nowMs: number,
): Settlement {
  if (outcome.name === 'cut') return { delivered: 0, followUps: [resendUnchanged(batch, policy, random)] };
  const search = readSearch(batch.search);
  if (search !== undefined) return searchSettlement(batch, search, outcome, policy, random, nowMs);
  const ordinary = (sent: SentBatch): Settlement => ordinarySettlement(sent, outcome, policy, random, nowMs);
  const part = firstPart(batch);
  if (outcome.httpStatus === 413) {
    const cut = smallerCut(batch, part);
    if (cut !== undefined) {
      const smaller: FollowUp = { ...sameBatch(batch), type: 'send-now', search: cut };
      return { delivered: 0, followUps: [smaller], isCut: true };
    }
    if (part.events < batch.events) return ordinary({ ...batch, search: REFUSED_AT_ANY_SIZE });
  }
  if (part.events === batch.events) return ordinary(batch);
  // The smaller request got no 413. From here on, each part is a separate batch.
  const { delivered, followUps } = ordinary({ ...batch, ...part, search: '' });
  const others = otherParts(batch).map((other): FollowUp => ({
    ...sameBatch({ ...batch, ...other, search: '' }),
    type: 'send-now',
    identity: 'new',
    isTried: false,
  }));
  const tried = followUps.map((followUp): FollowUp =>
    followUp.identity === 'batch' ? { ...followUp, identity: 'request' } : followUp,
  );
  const isRead = outcome.name === 'delivered' || isRefusal(outcome) || isSuspect(outcome);
  return { delivered, followUps: [...tried, ...others], ...(isRead ? { fitting: fittingSize(batch, part) } : {}) };
}

/** The events of a batch that its next request carries. `from` is the position of the first one. */
export function partToSend(
  batch: Pick<SentBatch, 'fragments' | 'events' | 'search'>,
): Part & { readonly from: number } {
  const search = readSearch(batch.search);
  return search === undefined ? { ...firstPart(batch), from: 0 } : searchedPart(batch, search);
}

function ordinarySettlement(
  batch: SentBatch,
  outcome: Outcome,
  policy: SettlePolicy,
  random: number,
  nowMs: number,
): Settlement {
  if (outcome.unconfirmed !== 'all' && outcome.unconfirmed.length === 0)
    return { delivered: batch.events, followUps: [] };
  const rest =
    outcome.unconfirmed !== 'all' && policy.partialAck === 'unconfirmed' ? pick(batch, outcome.unconfirmed) : undefined;
  const unconfirmed =
    rest === undefined
      ? sameBatch(batch)
      : { ...sameBatch({ ...batch, ...rest, search: '' }), identity: 'new' as const };
  const delivered = batch.events - unconfirmed.events;
  const next = nextStep(outcome, batch.step, policy.retry, random, nowMs);
  if (next.type === 'resend') {
    const resend: FollowUp = { ...unconfirmed, type: 'resend', step: next.step, waitMs: next.waitMs };
    return { delivered, followUps: [resend] };
  }
  // Only the last reply decides, because earlier attempts may have failed for other reasons.
  const mayBePoison = policy.poisonSplit && (isRefusal(outcome) || isSuspect(outcome));
  const search = mayBePoison ? beginSearch(batch, outcome, random) : undefined;
  return { delivered, followUps: [search ?? { ...unconfirmed, type: 'dead', search: '' }] };
}

/** The wait after a request that Mailhook ended early, if the schedule has no waits. */
const CUT_WAIT_MS = 5000;

/**
 * Resends a batch after the current wait of the schedule. The schedule does not advance, because Mailhook itself ended
 * the request early.
 */
function resendUnchanged(batch: SentBatch, { retry }: SettlePolicy, random: number): FollowUp {
  const { scheduleMs } = retry;
  const waitMs = scheduleMs[Math.min(batch.step, scheduleMs.length - 1)] ?? CUT_WAIT_MS;
  return { ...sameBatch(batch), waitMs: Math.round(withJitter(waitMs, retry, random)) };
}

const sameBatch = ({ fragments, events, step, search }: SentBatch): FollowUp => ({
  type: 'resend',
  identity: 'batch',
  isTried: true,
  fragments,
  events,
  step,
  search,
  waitMs: 0,
});
