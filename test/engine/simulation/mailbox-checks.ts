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
  const fields = await redis.hgetallBuffer(keys.live);
  const states = Object.entries(fields).filter(([destination]) => destination !== LONG_FIELD);
  return new Map(states.map(([destination, bytes]) => [destination, readState(bytes)]));
}

/** Checks that lanes, resends, ready lists and sums are as the states of the mailboxes say. */
export async function checkMailboxes(server: SimulatedRedis): Promise<void> {
  const { redis, keys } = server;
  const [states, names, heads, sums, ...ready] = await Promise.all([
    readLive(server),
    server.allKeys(),
    redis.hgetall(keys.heads),
    redis.hgetallBuffer(keys.sums),
    ...keys.readyLists.map((list) => redis.lrange(list, 0, -1)),
  ]);
  for (const name of names) {
    const [, destination] = /:(?:f|u|q|xs):([^:]+)$/.exec(name) ?? [];
    must(destination === undefined || states.has(destination), `${name} has no mailbox`);
  }
  const waiting = new Map(ACCOUNTS.map((account) => [account as string, 0]));
  for (const [destination, state] of states) {
    const events = await checkMailbox(server, destination, state, heads[destination]);
    const account = accountOf(destination);
    waiting.set(account, (waiting.get(account) ?? 0) + events);
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

/** Resolves with the undelivered events of the mailbox. */
async function checkMailbox(
  { redis, keys }: SimulatedRedis,
  destination: string,
  state: MailboxState,
  head: string | undefined,
): Promise<number> {
  const [f, u, resends] = await Promise.all([
    redis.lrange(keys.lane('f', destination), 0, -1),
    redis.lrange(keys.lane('u', destination), 0, -1),
    redis.smembers(keys.resendsOf(destination)),
  ]);
  must(state.hasHead === (head !== undefined), `the head of ${destination} is there, or not, against its state`);
  const lanes = { f: head === undefined ? f : [head, ...f], u };
  let events = 0;
  for (const [lane, entries, unfrozen] of [
    ['f', lanes.f, state.fresh],
    ['u', lanes.u, state.unsubscribes],
  ] as const) {
    let at = 0;
    for (const batch of state.window) {
      if (batch.lane !== lane) continue;
      const frozen = entries.slice(at, at + batch.entries).map(eventsOf);
      at += batch.entries;
      must(frozen.length === batch.entries, `lane ${lane} of ${destination} lacks entries of batch ${batch.id}`);
      if (!batch.isSettled) events += batch.events;
      must(sum(frozen) === batch.events, `batch ${batch.id} of ${destination} has other entries`);
    }
    const rest = sum(entries.slice(at).map(eventsOf));
    must(rest === unfrozen, `lane ${lane} of ${destination} holds ${rest} events, and its state says ${unfrozen}`);
    events += rest;
  }
  must(resends.length === state.resends, `${destination} has ${resends.length} resends, not ${state.resends}`);
  for (const id of resends) {
    const [owner, count] = await redis.hmget(keys.resend(id), 'destination', 'events');
    must(owner === destination, `resend ${id} of ${destination} has no record`);
    events += Number(count);
  }
  return events;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The events of all dead letters, and their bytes by account. */
export async function readDeadEvents(
  server: SimulatedRedis,
  eventsIn: (content: string) => readonly string[],
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
