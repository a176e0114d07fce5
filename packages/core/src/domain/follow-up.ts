import { coded } from './coded-text.ts';
import { bodyBytes } from './fragment.ts';
import {
  cutBySize,
  halfOf,
  nextSample,
  partToSend,
  readSearch,
  SEARCH_REQUESTS,
  searchRest,
  searchText,
  wholeAgain,
  withoutPart,
} from './halving.ts';
import type { Search } from './halving.ts';
import type { Outcome } from './outcome.ts';
import { nextStep, withJitter } from './retry.ts';
import { isRefusal, isSuspect } from './refusal.ts';
import { statusRule } from './status-rules.ts';
import { pick } from './sent-batch.ts';
import type { FollowUp, Part, SentBatch, Settlement, SettlePolicy } from './sent-batch.ts';

const SEARCH_ENDED = coded('search-ended', { requests: SEARCH_REQUESTS });

/**
 * Decides what follows an attempt (docs/protocol.md). The follow-ups can be a resend, a new batch of the unconfirmed
 * events, a smaller request after a 413, a search for poison events, or a dead letter.
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
  const attempt: Attempt = { outcome, policy, random, nowMs };
  const search = readSearch(batch.search);
  if (search !== undefined && search.phase !== 'size') return searchSettlement(batch, search, attempt);
  return statusRule(outcome.httpStatus).isTooLarge === true || search !== undefined
    ? sizeSettlement(batch, attempt)
    : ordinarySettlement(batch, attempt);
}

/** An outcome, with everything else that decides what follows it. */
interface Attempt {
  readonly outcome: Outcome;
  readonly policy: SettlePolicy;
  readonly random: number;
  readonly nowMs: number;
}

/** A batch that is sent in smaller parts because of a 413. */
function sizeSettlement(batch: SentBatch, attempt: Attempt): Settlement {
  const { outcome } = attempt;
  const part = partToSend(batch);
  const isHalved = part.events < batch.events;
  if (statusRule(outcome.httpStatus).isTooLarge === true) {
    if (part.events > 1 && (isHalved || batch.search === ''))
      return { delivered: 0, followUps: [sendNext(batch, halfOf('size', part, 0))], isHalved: true };
    // A single event is too large too, so size is not the reason.
    return ordinarySettlement(isHalved ? { ...batch, search: searchText(wholeAgain(batch)) } : batch, attempt);
  }
  if (!isHalved || isPassing(attempt)) return ordinarySettlement(batch, attempt);
  const { delivered, followUps } = partSettlement(batch, part, batch.step, attempt);
  const fittingBytes = bodyBytes(part);
  const others = cutBySize(withoutPart(batch, part), fittingBytes);
  return {
    delivered,
    followUps: [...followUps, ...others.map((other) => newBatch(other, batch.step, ''))],
    fittingBytes,
  };
}

/** A batch that is searched for poison events. */
function searchSettlement(batch: SentBatch, search: Search, attempt: Attempt): Settlement {
  const { outcome, policy, random } = attempt;
  if (isPassing(attempt)) return ordinarySettlement(batch, attempt);
  const part = partToSend(batch);
  const requests = search.requests + 1;
  const isRefused = isRefusal(outcome) || isSuspect(outcome);
  const isOver = requests >= SEARCH_REQUESTS;
  if (isRefused && (search.phase === 'sample' || part.events > 1)) {
    const next =
      search.phase === 'sample' ? nextSample(batch.events, requests, random) : halfOf('halve', part, requests);
    if (next !== undefined && !isOver) return { delivered: 0, followUps: [sendNext({ ...batch, step: 0 }, next)] };
    const dead: FollowUp = { ...sameBatch({ ...batch, search: '' }), type: 'dead' };
    return { delivered: 0, followUps: [isOver ? { ...dead, reason: SEARCH_ENDED } : dead] };
  }
  // A refusal of one event is final. A reply that may have another cause is judged again by the schedule.
  const step = isRefusal(outcome) ? policy.retry.scheduleMs.length : 0;
  const { delivered, followUps } = partSettlement(batch, part, step, attempt);
  const rest = withoutPart(batch, part);
  if (rest.events === 0) return { delivered, followUps };
  const next = newBatch(rest, 0, searchText(searchRest(search, rest.events, !isRefused)));
  return {
    delivered,
    followUps: [...followUps, isOver ? { ...next, type: 'dead', search: '', reason: SEARCH_ENDED } : next],
  };
}

/** Whether an attempt says nothing about the events or the size of its part. The whole batch then waits. */
const isPassing = ({ outcome, policy }: Attempt): boolean =>
  !isRefusal(outcome) &&
  !isSuspect(outcome) &&
  (outcome.unconfirmed === 'all' || (policy.partialAck === 'batch' && outcome.unconfirmed.length > 0));

/** The settlement of a part, like that of a whole batch. The part is removed from its batch. */
function partSettlement(batch: SentBatch, part: Part, step: number, attempt: Attempt): Settlement {
  const { delivered, followUps } = ordinarySettlement({ ...batch, ...part, step, search: '' }, attempt);
  return {
    delivered,
    followUps: followUps.map((one) => (one.identity === 'batch' ? { ...one, identity: 'request' } : one)),
  };
}

/** The same batch. Its next request carries another part. */
const sendNext = (batch: SentBatch, next: Search): FollowUp => ({
  ...sameBatch({ ...batch, search: searchText(next) }),
  type: 'send-now',
});

/** Events that the request did not carry. */
const newBatch = ({ fragments, events }: Part, step: number, search: string): FollowUp => ({
  type: 'send-now',
  identity: 'new',
  isTried: false,
  fragments,
  events,
  step,
  search,
  waitMs: 0,
});

/** A batch that was sent as a whole, or a part that is removed from its batch. */
function ordinarySettlement(batch: SentBatch, { outcome, policy, random, nowMs }: Attempt): Settlement {
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
  const search = mayBePoison && batch.events > 1 ? nextSample(batch.events, 0, random) : undefined;
  if (search !== undefined) return { delivered, followUps: [sendNext({ ...batch, step: 0 }, search)] };
  return { delivered, followUps: [{ ...unconfirmed, type: 'dead', search: '' }] };
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
