import { FRAGMENT_SEPARATOR } from './fragment.ts';
import type { Outcome } from './outcome.ts';
import { nextSearchStep } from './retry.ts';
import type { NextStep } from './retry.ts';
import type { Search, SearchPart } from './search-state.ts';
import { enoughFor, nextPart, searchOfPart, searchText, SEARCH_REQUESTS, shareOf, triedRange } from './search-state.ts';
import { isRefusal, isSuspect } from './refusal.ts';
import { partOf, pick } from './sent-batch.ts';
import type { FollowUp, Part, SentBatch, Settlement, SettlePolicy } from './sent-batch.ts';

const REFUSED_ALONE = 'the receiver refuses this event, also alone';
const SEARCH_ENDED = `the receiver refuses some of these events, and the search for them ended after ${SEARCH_REQUESTS} requests`;

/** Starts the search for poison events in a batch that was refused as a whole. Returns undefined for a single event. */
export function beginSearch(batch: Part, outcome: Outcome, random: number): FollowUp | undefined {
  const cause = isRefusal(outcome) ? 'refusal' : 'error';
  const parts = [{ events: batch.events, isRefused: true }];
  const search = nextPart({ cause, hasAccepted: false, requestsLeft: SEARCH_REQUESTS, parts }, random);
  return search && { ...follow(batch, 0), type: 'send-now', identity: 'batch', search: searchText(search) };
}

/** The events that the next request of a search carries, and the position of the first one. */
export function searchedPart(batch: Pick<SentBatch, 'fragments'>, search: Search): Part & { readonly from: number } {
  const [from, to] = triedRange(search);
  return { ...partOf(batch.fragments.split(FRAGMENT_SEPARATOR), from, to), from };
}

/** Decides what follows an attempt within the search (docs/decisions/0003). */
export function searchSettlement(
  batch: SentBatch,
  search: Search,
  outcome: Outcome,
  { retry, partialAck }: Pick<SettlePolicy, 'retry' | 'partialAck'>,
  random: number,
  nowMs: number,
): Settlement {
  const next = nextSearchStep(outcome, batch.step, retry, random, nowMs);
  const isRefused = isRefusal(outcome) || (isSuspect(outcome) && (search.cause === 'error' || next.type === 'dead'));
  if (isRefused) return { delivered: 0, followUps: afterRefusal(batch, search, random) };
  const isWholeOutstanding =
    outcome.unconfirmed === 'all' || (partialAck === 'batch' && outcome.unconfirmed.length > 0);
  const part = searchedPart(batch, search);
  // With few requests left, two searches could find less than one does.
  const isTight = search.requestsLeft < enoughFor(part.events) + enoughFor(batch.events - part.events);
  const staysWhole = !search.hasAccepted || search.parts.length === 1 || (isTight && next.type === 'resend');
  if (isWholeOutstanding && staysWhole) return { delivered: 0, followUps: [again(whole(batch), next)] };
  const unconfirmed = outcome.unconfirmed === 'all' || isWholeOutstanding ? part : pick(part, outcome.unconfirmed);
  const delivered = part.events - unconfirmed.events;
  const isResent = unconfirmed.events > 0 && next.type === 'resend';
  const requestsLeft = isResent ? search.requestsLeft : Math.max(0, search.requestsLeft - 1);
  if (unconfirmed.events === 0) return { delivered, followUps: others(batch, search, requestsLeft, random) };
  const share = shareOf(requestsLeft, unconfirmed.events, batch.events - delivered);
  const own = searchText(searchOfPart(unconfirmed.events, search.cause, share));
  const rest: FollowUp = {
    ...follow(unconfirmed, batch.step),
    type: 'resend',
    identity: isWholeOutstanding ? 'request' : 'new',
    search: own,
  };
  return { delivered, followUps: [again(rest, next), ...others(batch, search, requestsLeft - share, random)] };
}

/** Resends the events, or gives them up when no wait remains. */
const again = (followUp: FollowUp, next: NextStep): FollowUp =>
  next.type === 'dead' ? dead(followUp) : { ...followUp, type: 'resend', step: next.step, waitMs: next.waitMs };

function afterRefusal(batch: SentBatch, search: Search, random: number): FollowUp[] {
  const requestsLeft = Math.max(0, search.requestsLeft - 1);
  const part = searchedPart(batch, search);
  if (batch.events === 1) return [dead(whole(batch))];
  if (search.hasAccepted && part.events === 1) {
    const poison = dead({ ...follow(part, batch.step), identity: 'request' });
    return [poison, ...others(batch, search, requestsLeft, random)];
  }
  const parts = search.parts.map((one, i) => (i === search.at ? { ...one, isRefused: true } : one));
  const next = nextPart({ ...search, parts, requestsLeft }, random);
  if (next === undefined) return [{ ...dead(whole(batch)), ...(search.hasAccepted ? { reason: SEARCH_ENDED } : {}) }];
  return [{ ...follow(batch, batch.step), type: 'send-now', identity: 'batch', search: searchText(next) }];
}

/**
 * The follow-ups of the parts that the request did not carry, once the receiver has accepted something. Events that it
 * refused alone become dead letters.
 */
function others(batch: SentBatch, search: Search, requestsLeft: number, random: number): FollowUp[] {
  const list = batch.fragments.split(FRAGMENT_SEPARATOR);
  const poison: FollowUp[] = [];
  const parts: SearchPart[] = [];
  const kept: string[] = [];
  let from = 0;
  for (const [i, part] of search.parts.entries()) {
    const to = from + part.events;
    if (i !== search.at && part.isRefused && part.events === 1)
      poison.push({ ...dead(untried(partOf(list, from, to), batch)), reason: REFUSED_ALONE });
    else if (i !== search.at) {
      parts.push(part);
      kept.push(...list.slice(from, to));
    }
    from = to;
  }
  if (kept.length === 0) return poison;
  const rest = untried(partOf(kept, 0, kept.length), batch);
  const next = nextPart({ ...search, hasAccepted: true, requestsLeft, parts }, random);
  return [
    ...poison,
    next === undefined ? { ...dead(rest), reason: SEARCH_ENDED } : { ...rest, search: searchText(next) },
  ];
}

const untried = (part: Part, { step }: SentBatch): FollowUp => ({ ...follow(part, step), isTried: false });

const whole = (batch: SentBatch): FollowUp => ({
  ...follow(batch, batch.step),
  identity: 'batch',
  search: batch.search,
});

/**
 * A follow-up within the search. It keeps `step`, so that failures that say nothing about the events count for every
 * part, which bounds the search.
 */
const follow = ({ fragments, events }: Part, step: number): FollowUp => ({
  type: 'send-now',
  identity: 'new',
  isTried: true,
  fragments,
  events,
  step,
  search: '',
  waitMs: 0,
});

const dead = (followUp: FollowUp): FollowUp => ({
  ...followUp,
  type: 'dead',
  step: 0,
  search: '',
  waitMs: 0,
});
