import type { Mechanism } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';
import type { ReceivedRequest } from '@mailhook/testing';
import type { ExpectedMailbox, ExpectedRequest, State } from './snapshot.ts';
import { bodyOf, fragmentsOf } from './snapshot.ts';

interface Made {
  readonly redis: Redis;
  readonly queuePrefix: string;
  /** The requests that the receivers got. None was acknowledged. */
  readonly requests: readonly ReceivedRequest[];
  readonly states: readonly State[];
}

/**
 * Computes what every receiver must still get. Repeated requests come from the requests of the earlier version, and waiting events from the entries
 * in Redis. Reads both without the product's code.
 */
export async function expectations(made: Made): Promise<ExpectedMailbox[]> {
  const mailboxes: ExpectedMailbox[] = [];
  for (const kind of ['transactional', 'campaign'] as const)
    for (const state of made.states) mailboxes.push(await mailboxOf(made, kind, state));
  return mailboxes;
}

async function mailboxOf(made: Made, kind: Mechanism, state: State): Promise<ExpectedMailbox> {
  const destination = kind === 'campaign' ? `campaign-${state}` : state;
  const path = `/${kind}/${state}`;
  const repeated = repeatedOf(made.requests.filter((request) => request.path === path));
  const { redis } = made;
  const keys = engineKeys(made.queuePrefix, 0, kind);
  const letters = await deadLettersOf(redis, keys.base, destination);
  const entries = await entriesOf(redis, `${keys.base}f:${destination}`);
  const leaving = await entriesOf(redis, `${keys.base}u:${destination}`);
  const queued = await queuedOf(redis, `${keys.queuePrefix}:${kind}-chunks`, kind, destination);
  const dead = (await Promise.all(letters.map(({ id }) => entriesOf(redis, `${keys.base}dlm:${id}`)))).flat();
  const all = [...entries, ...queued, ...dead];
  const isSent = isSentIn(repeated, kind);
  return {
    kind,
    state,
    destination,
    path,
    repeated,
    notifications: kind === 'campaign' ? [] : all.map(notificationOf).filter(({ webhookId }) => !isSent(webhookId)),
    fragments:
      kind === 'campaign'
        ? { fresh: all.flatMap(linesOf).filter((text) => !isSent(text)), unsubscribes: leaving.flatMap(linesOf) }
        : { fresh: [], unsubscribes: [] },
    deadLetters: letters.map(({ events, attempts }) => ({ events, attempts })),
  };
}

/** The next attempt of every batch that was sent. */
function repeatedOf(requests: readonly ReceivedRequest[]): ExpectedRequest[] {
  const last = new Map<string, ExpectedRequest>();
  for (const { headers, text } of requests) {
    const webhookId = String(headers['webhook-id']);
    const attempt = Number(headers['webhook-attempt']);
    const isBatch = text.startsWith('[');
    const body = isBatch ? bodyOf(fragmentsOf(text, attempt), attempt + 1) : text;
    if (isBatch && bodyOf(fragmentsOf(text, attempt), attempt) !== text) throw new Error(`not read: ${text}`);
    last.set(webhookId, { webhookId, attempt: attempt + 1, body });
  }
  return [...last.values()];
}

/** Returns whether an event was sent. Frozen events were sent but are still in their lane. */
function isSentIn(repeated: readonly ExpectedRequest[], kind: Mechanism): (name: string) => boolean {
  const sent = new Set(
    repeated.flatMap(({ webhookId, attempt, body }) =>
      kind === 'campaign' ? fragmentsOf(body, attempt) : [webhookId],
    ),
  );
  return (name) => sent.has(name);
}

/** Characters before the events of an entry: the time and the count. A chunk's entries have the count only. */
const HEAD = 12;

const entriesOf = async (redis: Redis, key: string): Promise<string[]> =>
  (await redis.lrange(key, 0, -1)).map((entry) => entry.slice(HEAD));

const linesOf = (text: string): string[] => text.split('\n');

function notificationOf(text: string): ExpectedRequest {
  const [webhookId = '', body = ''] = linesOf(text);
  return { webhookId, attempt: 1, body };
}

async function queuedOf(redis: Redis, queue: string, kind: Mechanism, destination: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of (await redis.lrange(`${queue}:wait`, 0, -1)).reverse()) {
    const data = JSON.parse((await redis.hget(`${queue}:${id}`, 'data')) ?? '{}') as { groups?: unknown[][] };
    for (const [of, to, , , entries] of data.groups ?? []) {
      if (to !== destination || String(of).slice(0, 1) !== kind.slice(0, 1)) continue;
      found.push(...(entries as string[]).map((entry) => entry.slice(4)));
    }
  }
  return found;
}

async function deadLettersOf(redis: Redis, base: string, destination: string) {
  const found: { id: string; events: number; attempts: number }[] = [];
  for (const key of (await redis.keys(`${base}dl:*`)).sort()) {
    const [to, events, attempts] = await redis.hmget(key, 'dest', 'events', 'attempts');
    if (to === destination)
      found.push({ id: key.slice(`${base}dl:`.length), events: Number(events), attempts: Number(attempts) });
  }
  return found;
}
