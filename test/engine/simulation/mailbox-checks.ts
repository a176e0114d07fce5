import type { Redis } from '@mailhook/platform/redis';
import { eventsOf } from '../../../packages/delivery/src/mailbox/entry.ts';
import { LONG_FIELD, OWNED, READY } from '../../../packages/delivery/src/mailbox/constants.ts';
import { readState } from '../../../packages/delivery/src/mailbox/state.ts';
import type { MailboxState } from '../../../packages/delivery/src/mailbox/state.ts';
import { readSums } from '../../../packages/delivery/src/mailbox/sums.ts';
import { ACCOUNTS, accountOf } from './settings.ts';
import type { SimulatedRedis } from './simulated-redis.ts';
import { must } from './violation.ts';

type States = ReadonlyMap<string, MailboxState>;

/** The states of all live mailboxes. */
export async function readLive({ redis, keys }: SimulatedRedis): Promise<States> {
  return statesOf(await redis.hgetallBuffer(keys.live));
}

const statesOf = (fields: Hash<Buffer>): States =>
  new Map(
    Object.entries(fields)
      .filter(([destination]) => destination !== LONG_FIELD)
      .map(([destination, bytes]) => [destination, readState(bytes)]),
  );

/** The events in the content of an entry, a batch or a resend. */
type EventsIn = (content: string) => readonly string[];

/**
 * Checks that lanes, resends, ready lists and sums are as the states of the mailboxes say, and that no mailbox holds an
 * event twice.
 */
export async function checkMailboxes(server: SimulatedRedis, eventsIn: EventsIn): Promise<void> {
  const { redis, keys } = server;
  const first = redis.pipeline().hgetallBuffer(keys.live).keys(`${keys.shared}*`).hgetall(keys.heads);
  first.hgetallBuffer(keys.sums);
  for (const list of keys.readyLists) first.lrange(list, 0, -1);
  const [live, names, heads, sums, ...ready] =
    await repliesOf<[Hash<Buffer>, string[], Hash<string>, Hash<Buffer>, string[], string[]]>(first);
  const states = statesOf(live);
  for (const name of names) {
    const [, destination] = /:(?:f|u|q|xs):([^:]+)$/.exec(name) ?? [];
    must(destination === undefined || states.has(destination), `${name} has no mailbox`);
  }
  const second = redis.pipeline();
  for (const destination of states.keys())
    second
      .lrange(keys.lane('f', destination), 0, -1)
      .lrange(keys.lane('u', destination), 0, -1)
      .smembers(keys.resendsOf(destination));
  const lists = states.size === 0 ? [] : await repliesOf<string[][]>(second);
  const waiting = new Map(ACCOUNTS.map((account) => [account as string, 0]));
  for (const [i, [destination, state]] of [...states].entries()) {
    const [f = [], u = [], resends = []] = lists.slice(3 * i);
    const head = heads[destination];
    must(state.hasHead === (head !== undefined), `the head of ${destination} is there, or not, against its state`);
    const entries = [
      ...undelivered(destination, state, 'f', head === undefined ? f : [head, ...f]),
      ...undelivered(destination, state, 'u', u),
    ];
    const contents = [
      ...entries.map((entry) => entry.slice(ENTRY_HEAD)),
      ...(await bodiesOf(server, destination, state, resends)),
    ];
    const events = contents.flatMap(eventsIn);
    const twice = events.find((event, at) => events.indexOf(event) < at);
    must(twice === undefined, `${destination} holds ${twice ?? ''} twice`);
    const account = accountOf(destination);
    waiting.set(account, (waiting.get(account) ?? 0) + events.length);
    must(
      state.status !== READY || ready.some((list) => list.includes(destination)),
      `${destination} is ready and on no list`,
    );
    must((state.status === OWNED) === (state.owner !== ''), `${destination} has an owner, or none, against its status`);
  }
  for (const [account, events] of waiting) {
    const { events: counted } = readSums(sums[account]);
    must(counted === events, `account ${account} has ${events} undelivered events, and its sum says ${counted}`);
  }
}

type Hash<Value> = Readonly<Record<string, Value>>;

async function repliesOf<Replies>(pipeline: ReturnType<Redis['pipeline']>): Promise<Replies> {
  const replies = (await pipeline.exec()) ?? [];
  for (const [error] of replies) if (error !== null) throw error;
  return replies.map(([, reply]) => reply) as Replies;
}

/** The time and the number of events at the start of an entry. */
const ENTRY_HEAD = 12;

/** The entries of a lane that are not settled. Checks that their events are those that the state counts. */
function undelivered(
  destination: string,
  state: MailboxState,
  lane: 'f' | 'u',
  entries: readonly string[],
): readonly string[] {
  const unfrozen = lane === 'f' ? state.fresh : state.unsubscribes;
  const found: string[] = [];
  let at = 0;
  for (const batch of state.window) {
    if (batch.lane !== lane) continue;
    const frozen = entries.slice(at, at + batch.entries);
    at += batch.entries;
    must(frozen.length === batch.entries, `lane ${lane} of ${destination} lacks entries of batch ${batch.id}`);
    must(sum(frozen.map(eventsOf)) === batch.events, `batch ${batch.id} of ${destination} has other entries`);
    if (!batch.isSettled) found.push(...frozen);
  }
  const rest = sum(entries.slice(at).map(eventsOf));
  must(rest === unfrozen, `lane ${lane} of ${destination} holds ${rest} events, and its state says ${unfrozen}`);
  return [...found, ...entries.slice(at)];
}

/** The bodies of the resends. */
async function bodiesOf(
  { redis, keys }: SimulatedRedis,
  destination: string,
  state: MailboxState,
  ids: readonly string[],
): Promise<readonly string[]> {
  must(ids.length === state.resends, `${destination} has ${ids.length} resends, not ${state.resends}`);
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hmget(keys.resend(id), 'destination', 'body');
  const records = await repliesOf<(string | null)[][]>(pipeline);
  for (const [i, [owner]] of records.entries())
    must(owner === destination, `resend ${ids[i] ?? ''} of ${destination} has no record`);
  return records.map(([, body]) => body ?? '');
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The events of all dead letters, and their bytes by account. */
export async function readDeadEvents(
  server: SimulatedRedis,
  eventsIn: EventsIn,
): Promise<{ readonly events: ReadonlySet<string>; readonly bytes: ReadonlyMap<string, number> }> {
  const { redis, keys } = server;
  const events = new Set<string>();
  const bytes = new Map<string, number>();
  const prefix = `${keys.base}dl:`;
  for (const key of (await server.allKeys()).filter((name) => name.startsWith(prefix))) {
    const { account = '', bytes: size = '0', body } = await redis.hgetall(key);
    bytes.set(account, (bytes.get(account) ?? 0) + Number(size));
    const contents =
      body === undefined
        ? (await redis.lrange(keys.deadLetterEntries(key.slice(prefix.length)), 0, -1)).map((entry) => entry.slice(12))
        : [body];
    for (const content of contents) for (const event of eventsIn(content)) events.add(event);
  }
  return { events, bytes };
}
