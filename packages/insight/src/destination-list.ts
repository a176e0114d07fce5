import type { DestinationView, Page, PageQuery } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { holdsEvents, scanLive } from '@mailhook/delivery/mailbox';
import { readDestination } from './destination-view.ts';

/** `parked` by their breaker, `paused` by an operator, or `waiting`: all with undelivered events. */
type DestinationFilter = 'parked' | 'paused' | 'waiting';

const SET_OF: Readonly<Record<DestinationFilter, 'backlog' | 'parked' | 'paused'>> = {
  parked: 'parked',
  paused: 'paused',
  waiting: 'backlog',
};

const FITS: Readonly<Record<DestinationFilter, (view: DestinationView) => boolean>> = {
  parked: ({ state }) => state === 'parked',
  paused: ({ state }) => state === 'paused',
  waiting: ({ waiting, inFlight }) => waiting + inFlight > 0,
};

/**
 * A member of one of the engine's sorted sets, or a live mailbox that is not in it, of a page of the scan. `place` is
 * the position of its mechanism and shard.
 */
interface Entry {
  readonly place: number;
  readonly at: { readonly score: number } | { readonly page: string };
  readonly id: string;
}

const READ_AT_ONCE = 100;
const LIVE_AT_ONCE = 200;

interface DestinationLists {
  /**
   * Ordered by mechanism and shard, then by the end of the parking or pause, or by how long they have had events. Those
   * whose events have waited for a short time follow in no order. A destination that changes between two pages may be
   * missing or appear twice. An invalid cursor gives an empty page.
   */
  list(filter: DestinationFilter, page: PageQuery): Promise<Page<DestinationView>>;
}

export function createDestinationLists(installation: Installation): DestinationLists {
  const { redis } = installation;
  const places = installation.allKeys();
  return {
    async list(filter, { limit, cursor }) {
      const after = cursor === undefined ? undefined : entryOf(cursor);
      if (cursor !== undefined && after === undefined) return { items: [] };
      const items: DestinationView[] = [];
      let last = '';
      for await (const entry of entriesAfter(redis, places, filter, after)) {
        const view = await readDestination(redis, places[entry.place] as EngineKeys, entry.id);
        if (view === undefined || !FITS[filter](view)) continue;
        if (items.length === limit) return { items, nextCursor: last };
        items.push(view);
        last = cursorOf(entry);
      }
      return { items };
    },
  };
}

async function* entriesAfter(
  redis: Redis,
  places: readonly EngineKeys[],
  filter: DestinationFilter,
  after: Entry | undefined,
): AsyncGenerator<Entry> {
  for (const [place, keys] of places.entries()) {
    if (after !== undefined && place < after.place) continue;
    const start = after?.place === place ? after : undefined;
    if (start === undefined || 'score' in start.at) yield* inSet(redis, keys[SET_OF[filter]], place, start);
    if (filter === 'waiting') yield* notInBacklog(redis, keys, place, start);
  }
}

async function* inSet(redis: Redis, set: string, place: number, start: Entry | undefined): AsyncGenerator<Entry> {
  const from = start !== undefined && 'score' in start.at ? start.at.score : undefined;
  for (let offset = 0, isMore = true; isMore; offset += READ_AT_ONCE) {
    const rows = await redis.zrangebyscore(set, from ?? '-inf', '+inf', 'WITHSCORES', 'LIMIT', offset, READ_AT_ONCE);
    isMore = rows.length === 2 * READ_AT_ONCE;
    for (let i = 0; i < rows.length; i += 2) {
      const [id, score] = [rows[i] as string, Number(rows[i + 1])];
      // Redis orders members with the same score by their bytes.
      if (start === undefined || from === undefined || score > from || id > start.id)
        yield { place, at: { score }, id };
    }
  }
}

/** Mailboxes with events that the backlog does not have yet. */
async function* notInBacklog(
  redis: Redis,
  keys: EngineKeys,
  place: number,
  start: Entry | undefined,
): AsyncGenerator<Entry> {
  const first = start !== undefined && 'page' in start.at ? start.at.page : undefined;
  let page = first ?? '0';
  do {
    const { next, states } = await scanLive(redis, keys, page, LIVE_AT_ONCE);
    const ids = states.filter(([, state]) => !state.isListed && holdsEvents(state)).map(([id]) => id);
    for (const id of ids.sort()) {
      if (start === undefined || page !== first || id > start.id) yield { place, at: { page }, id };
    }
    page = next;
  } while (page !== '0');
}

const cursorOf = ({ place, at, id }: Entry): string => `${place}~${'score' in at ? at.score : `live${at.page}`}~${id}`;

function entryOf(cursor: string): Entry | undefined {
  const [, place, live, number = '', id] = /^(\d{1,5})~(live)?(\d{1,20})~([\w.:-]{1,128})$/.exec(cursor) ?? [];
  if (id === undefined) return undefined;
  return { place: Number(place), at: live === undefined ? { score: Number(number) } : { page: number }, id };
}
