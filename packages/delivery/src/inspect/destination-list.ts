import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import { allEngineKeys } from '../mailbox/keys.ts';
import type { Page, PageQuery } from '../record/page.ts';
import type { DestinationView } from './destination-view.ts';
import { readDestination } from './destination-view.ts';

/** `parked` by their breaker, `paused` by an operator, or `waiting`: all with undelivered events. */
export type DestinationFilter = 'parked' | 'paused' | 'waiting';

const SET_OF: Readonly<Record<DestinationFilter, 'busy' | 'parked' | 'paused'>> = {
  parked: 'parked',
  paused: 'paused',
  waiting: 'busy',
};

const FITS: Readonly<Record<DestinationFilter, (view: DestinationView) => boolean>> = {
  parked: ({ state }) => state === 'parked',
  paused: ({ state }) => state === 'paused',
  waiting: ({ waiting, inFlight }) => waiting + inFlight > 0,
};

/** A member of one of the engine's sorted sets. `place` is the position of its mechanism and shard. */
interface Entry {
  readonly place: number;
  readonly score: number;
  readonly id: string;
}

const READ_AT_ONCE = 100;

export interface DestinationLists {
  /**
   * Ordered by mechanism and shard, then by the end of the parking or pause, or by how long they have had events. A destination that changes between
   * two pages may be missing or appear twice. An invalid cursor gives an empty page.
   */
  list(filter: DestinationFilter, page: PageQuery): Promise<Page<DestinationView>>;
}

export function createDestinationLists(options: {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}): DestinationLists {
  const places = allEngineKeys(options.queuePrefix, options.shards);
  return {
    async list(filter, { limit, cursor }) {
      const after = cursor === undefined ? undefined : entryOf(cursor);
      if (cursor !== undefined && after === undefined) return { items: [] };
      const items: DestinationView[] = [];
      let last = '';
      for await (const entry of entriesAfter(options.redis, places, SET_OF[filter], after)) {
        const view = await readDestination(options.redis, places[entry.place] as EngineKeys, entry.id);
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
  set: 'busy' | 'parked' | 'paused',
  after: Entry | undefined,
): AsyncGenerator<Entry> {
  for (const [place, keys] of places.entries()) {
    if (after !== undefined && place < after.place) continue;
    const start = after?.place === place ? after : undefined;
    for (let offset = 0, isMore = true; isMore; offset += READ_AT_ONCE) {
      const from = start?.score ?? '-inf';
      const rows = await redis.zrangebyscore(keys[set], from, '+inf', 'WITHSCORES', 'LIMIT', offset, READ_AT_ONCE);
      isMore = rows.length === 2 * READ_AT_ONCE;
      for (let i = 0; i < rows.length; i += 2) {
        const entry = { place, id: rows[i] as string, score: Number(rows[i + 1]) };
        // Redis orders members with the same score by their bytes.
        if (start === undefined || entry.score > start.score || entry.id > start.id) yield entry;
      }
    }
  }
}

const cursorOf = ({ place, score, id }: Entry): string => `${place}~${score}~${id}`;

function entryOf(cursor: string): Entry | undefined {
  const [, place, score, id] = /^(\d{1,5})~(\d{1,16})~([\w.:-]{1,128})$/.exec(cursor) ?? [];
  return id === undefined ? undefined : { place: Number(place), score: Number(score), id };
}
