import type { Redis } from '@mailhook/platform/redis';

/** A destination's mailbox in Redis, in the terms of the model. */
export interface RealState {
  readonly owner: string;
  readonly isMarkedReady: boolean;
  /** How often the destination is in the ready lists. */
  readonly readyPlaces: number;
  readonly window: readonly RealBatch[];
  /** Entries of each lane, frozen ones included: events by name. */
  readonly lanes: Readonly<Record<'f' | 'u', readonly (readonly string[])[]>>;
  /** Ids of due resends, in the order of sending. */
  readonly due: readonly string[];
  readonly resends: ReadonlyMap<string, { readonly events: readonly string[]; readonly attempt: number }>;
  /** Ids of resends that are not due yet. */
  readonly later: ReadonlySet<string>;
  readonly deadLetters: ReadonlyMap<string, readonly string[]>;
  readonly undelivered: number;
  /** The account's sum of bytes as the scripts count it. */
  readonly bytesHeld: number;
  readonly deadLetterBytes: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  readonly version: number;
  /** Failures in a row, the last parking in ms, and whether the breaker is not closed. */
  readonly breaker: readonly [number, number, boolean];
  /** Workers that own the destination in Redis. */
  readonly owners: readonly string[];
}

export interface RealBatch {
  readonly id: string;
  readonly lane: 'f' | 'u' | 'x';
  readonly entries: number;
  readonly events: number;
  readonly attempt: number;
  readonly isDone: boolean;
}

const HEAD_CHARS = 12;
const eventsOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Reads everything that the scripts keep of destination `d`, account `account`. */
export async function readRealState(redis: Redis, base: string, shared: string): Promise<RealState> {
  const record = await redis.hgetall(`${base}d:d`);
  const lane = async (name: 'f' | 'u') =>
    (await redis.lrange(`${base}${name}:d`, 0, -1)).map((entry) => eventsOf(entry.slice(HEAD_CHARS)));
  const [f, u, due, ids, later, ready, undelivered, bytesHeld, members] = await Promise.all([
    lane('f'),
    lane('u'),
    redis.lrange(`${base}q:d`, 0, -1),
    redis.smembers(`${base}xs:d`),
    redis.zrange(`${base}due`, '0', '-1'),
    Promise.all([redis.lrange(`${base}ready`, 0, -1), redis.lrange(`${base}proven`, 0, -1)]),
    redis.hget(`${shared}undelivered`, 'account'),
    redis.hget(`${shared}held`, 'account'),
    redis.zrange(`${shared}dls`, '0', '-1'),
  ]);
  const resends = new Map<string, { events: string[]; attempt: number }>();
  for (const id of ids) {
    const [body, attempt] = await redis.hmget(`${base}x:${id}`, 'body', 'attempt');
    resends.set(id, { events: eventsOf(body ?? ''), attempt: Number(attempt) });
  }
  const deadLetters = new Map<string, string[]>();
  let deadLetterBytes = 0;
  for (const member of members) {
    const id = member.slice(1);
    const body = await redis.hget(`${base}dl:${id}`, 'body');
    const entries = body === null ? await redis.lrange(`${base}dlm:${id}`, 0, -1) : [];
    deadLetters.set(id, body === null ? entries.flatMap((entry) => eventsOf(entry.slice(HEAD_CHARS))) : eventsOf(body));
    deadLetterBytes += [body ?? '', ...entries].join('').length;
  }
  const ownedKeys = await redis.keys(`${base}owned:*`);
  const owned = await Promise.all(ownedKeys.map((key) => redis.sismember(key, 'd')));
  const window = JSON.parse(record['win'] === undefined || record['win'] === '' ? '[]' : record['win']) as Tuple[];
  return {
    owner: record['owner'] ?? '',
    isMarkedReady: record['ready'] === '1',
    readyPlaces: ready.flat().filter((name) => name === 'd').length,
    window: window.map(([id, name, entries, events, attempt, done]) => ({
      ...{ id, lane: name, entries, events, attempt },
      isDone: done === 1,
    })),
    lanes: { f, u },
    due,
    resends,
    later: new Set(later),
    deadLetters,
    undelivered: Number(undelivered ?? 0),
    bytesHeld: Number(bytesHeld ?? 0),
    deadLetterBytes,
    isActive: record['active'] === '1',
    isDeleted: record['deleted'] === '1',
    version: Number(record['version'] ?? 0),
    breaker: [Number(record['bf'] ?? 0), Number(record['bp'] ?? 0), Number(record['bu'] ?? 0) !== 0],
    owners: ownedKeys.filter((_, i) => owned[i] === 1).map((key) => key.slice(`${base}owned:`.length)),
  };
}

type Tuple = [string, 'f' | 'u' | 'x', number, number, number, number];
