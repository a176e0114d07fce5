import type { Redis } from '@mailhook/platform/redis';
import { ACTIVE, DELETED } from '../../../packages/delivery/src/mailbox/constants.ts';
import type { EngineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import { readMailbox } from '../../../packages/delivery/src/mailbox/records.ts';
import type { MailboxState } from '../../../packages/delivery/src/mailbox/state.ts';
import { readSums } from '../../../packages/delivery/src/mailbox/sums.ts';
import type { AccountSums } from '../../../packages/delivery/src/mailbox/sums.ts';
import { must } from './violation.ts';

/** A destination's mailbox in Redis, and what belongs to it. */
export interface RealState {
  readonly state: MailboxState;
  /** The first entry of lane f, '' if it is in the list. */
  readonly head: string;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  /** As the record has them. Those of the state must be the same. */
  readonly recordVersions: readonly [record: number, version: number, revision: number, isProven: boolean];
  /** Whether the mailbox has a state. */
  readonly isLive: boolean;
  /** How often the destination is in the ready lists. */
  readonly readyPlaces: number;
  /** Entries of each lane, frozen ones included: events by name. */
  readonly lanes: Readonly<Record<'f' | 'u', readonly (readonly string[])[]>>;
  /** Ids of due resends, in the order of sending. */
  readonly due: readonly string[];
  readonly resends: ReadonlyMap<string, { readonly events: readonly string[]; readonly attempt: number }>;
  /** Ids of resends that are not due yet. */
  readonly later: ReadonlySet<string>;
  readonly deadLetters: ReadonlyMap<string, readonly string[]>;
  /** Of the account, as the commands count them. */
  readonly sums: AccountSums;
  readonly deadLetterBytes: number;
  readonly isInParked: boolean;
  readonly isInPaused: boolean;
  /** Its time in the set `backlog`, 0 if it is not there. */
  readonly backlogMs: number;
  /** Whether the owner is among the workers, so that its death is noticed. */
  readonly isOwnerKnown: boolean;
}

const TIME_CHARS = 8;
const HEAD_CHARS = 12;
const eventsOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Reads everything that the commands keep of one destination of the account `account`. */
export async function readRealState(redis: Redis, keys: EngineKeys, destination: string): Promise<RealState> {
  const [proven, others] = keys.readyLists;
  const [mailbox, isLive, f, u, due, ids, later, ready, sums, members, parked, paused, backlog] = await Promise.all([
    readMailbox(redis, keys, destination),
    redis.hexists(keys.live, destination),
    redis.lrange(keys.lane('f', destination), 0, -1),
    redis.lrange(keys.lane('u', destination), 0, -1),
    redis.lrange(`${keys.base}q:${destination}`, 0, -1),
    redis.smembers(keys.resendsOf(destination)),
    redis.zrange(keys.due, '0', '-1'),
    Promise.all([redis.lrange(proven, 0, -1), redis.lrange(others, 0, -1)]),
    redis.hgetBuffer(keys.sums, 'account'),
    redis.zrange(keys.deadLetters, '0', '-1'),
    redis.zscore(keys.parked, destination),
    redis.zscore(keys.paused, destination),
    redis.zscore(keys.backlog, destination),
  ]);
  const { state, head, record } = mailbox;
  const resends = new Map<string, { events: string[]; attempt: number }>();
  for (const id of ids) {
    const [body, attempt, acceptedAt] = await redis.hmget(keys.resend(id), 'body', 'attempt', 'acceptedAt');
    must(acceptedAt?.length === TIME_CHARS, `resend ${id} was accepted at "${acceptedAt ?? ''}"`);
    resends.set(id, { events: eventsOf(body ?? ''), attempt: Number(attempt) });
  }
  const deadLetters = new Map<string, string[]>();
  let deadLetterBytes = 0;
  for (const member of members) {
    const id = member.slice(1);
    const body = await redis.hget(keys.deadLetter(id), 'body');
    const entries = body === null ? await redis.lrange(keys.deadLetterEntries(id), 0, -1) : [];
    deadLetters.set(id, body === null ? entries.flatMap((entry) => eventsOf(entry.slice(HEAD_CHARS))) : eventsOf(body));
    deadLetterBytes += [body ?? '', ...entries].join('').length;
  }
  const [worker = ''] = state.owner.split('_');
  const list = head === '' ? f : [head, ...f];
  const lanes = { f: list, u };
  return {
    state,
    head,
    isActive: state.record === ACTIVE,
    isDeleted: state.record === DELETED,
    recordVersions: [record?.record ?? 0, record?.version ?? 0, record?.revision ?? 0, record?.isProven ?? false],
    isLive: isLive === 1,
    readyPlaces: ready.flat().filter((name) => name === destination).length,
    lanes: {
      f: lanes.f.map((entry) => eventsOf(entry.slice(HEAD_CHARS))),
      u: lanes.u.map((entry) => eventsOf(entry.slice(HEAD_CHARS))),
    },
    due,
    resends,
    later: new Set(later),
    deadLetters,
    sums: readSums(sums),
    deadLetterBytes,
    isInParked: parked !== null,
    isInPaused: paused !== null,
    backlogMs: Number(backlog ?? 0),
    isOwnerKnown: worker === '' || (await redis.zscore(keys.workers, worker)) !== null,
  };
}
