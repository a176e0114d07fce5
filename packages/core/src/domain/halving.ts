import { bodyBytes, FRAGMENT_SEPARATOR } from './fragment.ts';
import { partOf } from './sent-batch.ts';
import type { Part, SentBatch } from './sent-batch.ts';

/**
 * A batch that is refused or too large is sent in parts until one is accepted. Its other events then become a new batch
 * (docs/decisions/0003). The state says which part the next request carries, and what is known of the others. The field
 * `search` of a resend holds it as JSON, or '' when the request carries the whole batch.
 *
 * - size: after a 413, ever smaller parts from the front, or the whole batch once a single event got a 413 too
 * - sample: a search for poison events in which nothing is accepted yet, by single events from all over the batch
 * - halve: a search after the first accepted event, by the first events of the batch
 */
export interface Search {
  readonly phase: 'size' | 'sample' | 'halve';
  /** The position of the part's first event in the batch. */
  readonly from: number;
  /** The events of the part. */
  readonly events: number;
  /** Requests of this search so far. */
  readonly requests: number;
  /** This many of the first events of the batch were refused together. Nothing is known of the others. */
  readonly suspects: number;
}

/** Where a search began. All of its requests have it. */
export interface SearchOrigin {
  /** The id of the batch that was sent as a whole. */
  readonly id: string;
  /** The attempt that carried it. */
  readonly attempt: number;
}

/** The maximum number of requests of one search for poison events. */
export const SEARCH_REQUESTS = 256;
/** After this many events that were refused alone, and no accepted one, the receiver refuses everything. */
const SAMPLES = 22;
/** The part after an accepted one has this many times its events, if none of them is suspect. */
const GROWTH = 4;
/** The part after a poison event has this many events. */
const FIRST_EVENTS = 2;

export const searchText = (search: Search): string => JSON.stringify(search);

/** The search text of a follow-up, with the origin of the search. */
export const withOrigin = (text: string, origin: SearchOrigin): string =>
  text === '' ? '' : JSON.stringify({ ...(JSON.parse(text) as Search), origin });

/** Undefined for a batch that is sent as a whole. */
export const readOrigin = (text: string): SearchOrigin | undefined =>
  text === '' ? undefined : (JSON.parse(text) as { readonly origin?: SearchOrigin }).origin;

/**
 * Where the search began, if the next request carries a part of the batch. After a 413 of one event, it carries all
 * `events` again.
 */
export function splitOf(text: string, events: number): SearchOrigin | undefined {
  const search = readSearch(text);
  return search?.phase === 'size' && search.events === events ? undefined : readOrigin(text);
}

/** Undefined for a batch that is sent as a whole. */
export const readSearch = (text: string): Search | undefined =>
  text === '' ? undefined : (JSON.parse(text) as Search);

/** The events of a batch that its next request carries. `from` is the position of the first one. */
export function partToSend({
  fragments,
  events,
  search: text,
}: Pick<SentBatch, 'fragments' | 'events' | 'search'>): Part & { readonly from: number } {
  const search = readSearch(text);
  if (search === undefined) return { fragments, events, from: 0 };
  const to = search.from + search.events;
  return { ...partOf(fragments.split(FRAGMENT_SEPARATOR), search.from, to), from: search.from };
}

/** Begins a search for the poison events of a refused batch, or continues one. Undefined after the last sample. */
export function nextSample(events: number, requests: number, random: number): Search | undefined {
  const samples = Math.min(events, SAMPLES);
  if (requests >= samples) return undefined;
  // One event of each of `samples` equal ranges, at random, so that another search of the same batch tries others.
  const from = Math.min(events - 1, Math.floor(((requests + random) * events) / samples));
  return { phase: 'sample', from, events: 1, requests, suspects: events };
}

/** The first half of a part, after its refusal. */
export const halfOf = (phase: 'size' | 'halve', { events }: Part, requests: number): Search => ({
  phase,
  from: 0,
  events: Math.ceil(events / 2),
  requests,
  suspects: events,
});

/** Ends the halving after a 413. */
export const wholeAgain = ({ events }: Part): Search => ({ phase: 'size', from: 0, events, requests: 0, suspects: 0 });

/** Continues a search in the events that are left when a part has left the batch. */
export function searchRest({ events, suspects, requests }: Search, left: number, isAccepted: boolean): Search {
  const stillSuspect = isAccepted ? Math.max(0, suspects - events) : 0;
  const unlimited = isAccepted ? events * GROWTH : FIRST_EVENTS;
  const next = stillSuspect > 0 ? Math.ceil(stillSuspect / 2) : Math.min(unlimited, left);
  return { phase: 'halve', from: 0, events: next, requests: requests + 1, suspects: stillSuspect };
}

/** The events of a batch without one part. */
export function withoutPart({ fragments, events }: Part, part: Part & { readonly from: number }): Part {
  const list = fragments.split(FRAGMENT_SEPARATOR).toSpliced(part.from, part.events);
  return partOf(list, 0, events - part.events);
}

/** Cuts events into parts within a body's size. One event always fits. */
export function cutBySize({ fragments, events }: Part, maxBytes: number): Part[] {
  if (events === 0) return [];
  const list = fragments.split(FRAGMENT_SEPARATOR);
  const parts: Part[] = [];
  let [from, bytes] = [0, 0];
  for (const [i, fragment] of list.entries()) {
    const own = bodyBytes({ fragments: fragment, events: 1 });
    if (i > from && bytes + own > maxBytes) {
      parts.push(partOf(list, from, i));
      [from, bytes] = [i, 0];
    }
    bytes += own;
  }
  return [...parts, partOf(list, from, events)];
}
