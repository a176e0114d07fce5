/** Consecutive events of a batch that are tried together. */
export interface SearchPart {
  readonly events: number;
  /** True if the receiver refused the part, false if it was not tried yet. Accepted events leave the batch. */
  readonly isRefused: boolean;
}

/** The state of the search for the poison events of a batch (docs/decisions/0003). */
export interface Search {
  /**
   * The kind of reply that began the search. If it was an `error` (such as 500), an error counts as a refusal of a part
   * too.
   */
  readonly cause: 'refusal' | 'error';
  /** Whether the receiver has accepted an event, so that it does not refuse everything. */
  readonly hasAccepted: boolean;
  readonly requestsLeft: number;
  /** All events of the batch, in order. */
  readonly parts: readonly SearchPart[];
  /** The index of the part that the next request carries. */
  readonly at: number;
}

/** Most requests of one search. */
export const SEARCH_REQUESTS = 256;
/**
 * After this many refused requests and no accepted one, the search assumes that the receiver refuses everything. Enough
 * to try two single events of 1,000.
 */
const REFUSES_ALL_AFTER = 22;

/**
 * Chooses the part to try next. Returns undefined when the search is over.
 *
 * While no event is accepted, the search halves parts down to one event, and then tries the other parts from the
 * smallest up. It draws each half at random, so that another search of the same batch takes another path. Once an event
 * is accepted, the largest untried part goes first, because it may hold the most good events. The smallest refused part
 * is split first, so that each search finds some poison events.
 */
export function nextPart(search: Omit<Search, 'at'>, random: number): Search | undefined {
  const { parts, hasAccepted, requestsLeft } = search;
  const isOver = hasAccepted ? requestsLeft <= 0 : SEARCH_REQUESTS - requestsLeft >= REFUSES_ALL_AFTER;
  if (isOver) return undefined;
  const isGoingDown = !hasAccepted && !parts.some(({ events, isRefused }) => isRefused && events === 1);
  const untried = isGoingDown ? -1 : smallest(parts, ({ isRefused }) => !isRefused, hasAccepted ? -1 : 1);
  if (untried >= 0) return { ...search, at: untried };
  const whole = smallest(parts, ({ events, isRefused }) => isRefused && events > 1);
  const events = parts[whole]?.events;
  if (events === undefined) return undefined;
  const first = Math.ceil(events / 2);
  const halves = [first, events - first].map((half) => ({ events: half, isRefused: false }));
  return { ...search, parts: parts.toSpliced(whole, 1, ...halves), at: random < 0.5 ? whole : whole + 1 };
}

/** The index of the smallest wanted part, or of the largest if `sign` is -1. Returns -1 when there is none. */
function smallest(parts: readonly SearchPart[], isWanted: (part: SearchPart) => boolean, sign: 1 | -1 = 1): number {
  let found = -1;
  let size = Number.POSITIVE_INFINITY;
  for (const [i, part] of parts.entries()) {
    if (!isWanted(part) || sign * part.events >= size) continue;
    found = i;
    size = sign * part.events;
  }
  return found;
}

/** The positions of the first event that the next request carries, and of the first event after them. */
export function triedRange({ parts, at }: Search): [from: number, to: number] {
  const endOf = (some: readonly SearchPart[]): number => some.reduce((sum, { events }) => sum + events, 0);
  return [endOf(parts.slice(0, at)), endOf(parts.slice(0, at + 1))];
}

/**
 * The requests that find up to three poison events among these events, or those that try every event alone if they are
 * fewer.
 */
export const enoughFor = (events: number): number =>
  Math.min(2 * events - 1, 6 * Math.ceil(Math.log2(events / 3)) + 13);

/** The requests that a part gets when it becomes a separate batch: its share by size, but enough for a search. */
export const shareOf = (requestsLeft: number, events: number, eventsInAll: number): number =>
  Math.min(requestsLeft, Math.max(Math.floor((requestsLeft * events) / eventsInAll), enoughFor(events)));

/** A search within one part, which is tried as a whole first. */
export const searchOfPart = (
  events: number,
  cause: Search['cause'] = 'refusal',
  requestsLeft = SEARCH_REQUESTS,
): Search => ({ cause, hasAccepted: true, requestsLeft, parts: [{ events, isRefused: false }], at: 0 });

/**
 * The state as text in Redis: cause, acceptance (0 or 1), requests left, index of the tried part, sizes of the parts.
 * Sizes of refused parts are negative.
 */
export const searchText = ({ cause, hasAccepted, requestsLeft, parts, at }: Search): string =>
  [
    cause,
    hasAccepted ? 1 : 0,
    requestsLeft,
    at,
    parts.map(({ events, isRefused }) => (isRefused ? -events : events)).join(),
  ].join(' ');

const TEXT = /^(refusal|error) ([01]) (\d+) (\d+) ([-\d,]+)$/;

/** Reads the state of a search. Undefined for a batch that is not searched, whose text is '' or that of `size-cut`. */
export function readSearch(text: string): Search | undefined {
  const found = TEXT.exec(text);
  if (found === null) return undefined;
  const [, cause, hasAccepted, requestsLeft, at, sizes] = found as unknown as [
    text: string,
    cause: Search['cause'],
    hasAccepted: string,
    requestsLeft: string,
    at: string,
    sizes: string,
  ];
  return {
    cause,
    hasAccepted: hasAccepted === '1',
    requestsLeft: Number(requestsLeft),
    parts: sizes.split(',').map((size) => ({ events: Math.abs(Number(size)), isRefused: size.startsWith('-') })),
    at: Number(at),
  };
}
