import { campaignDestinationId, payloadsOf, shardOf } from '@mailhook/core';
import type { DeliveryAttemptDetail, Mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { formatDeadLetterId, readListMember } from '../mailbox/dead-letter-id.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { KeptAttempt } from '../record/attempt-log.ts';

/** The events of an attempt that Mailhook still holds, or undefined. */
export type ReadHeldEvents = (account: string, kept: KeptAttempt) => Promise<DeliveryAttemptDetail['held']>;

interface HeldEventsOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}

const RESENDS_MAX = 1000;
const DEAD_LETTERS_MAX = 1000;
/** Most characters of bodies that a search by an event's key reads. */
const SEARCHED_CHARS_MAX = 8_000_000;

/** A resend or a dead letter of the attempt's destination. */
interface Candidate {
  readonly key: string;
  readonly deadLetter?: string;
  readonly webhookId: string;
}

/**
 * Reads the first resend, else the newest dead letter, that the attempt left. Both keep the `webhook-id` of a request that failed as a whole. After a
 * partial acknowledgement they have a new one, so they are searched for the first event that was not confirmed.
 */
export const createReadHeldEvents =
  ({ redis, queuePrefix, shards }: HeldEventsOptions): ReadHeldEvents =>
  async (account, { attempt, facts, carried }) => {
    const { kind, webhookId } = attempt;
    if (kind === 'test' || webhookId === undefined) return undefined;
    const keys = engineKeys(queuePrefix, shardOf(account, shards), kind);
    const destination = kind === 'campaign' ? campaignDestinationId(account) : (attempt.subscription ?? '');
    const candidates = [
      ...(await resendsOf(redis, keys, destination)),
      ...(await deadLettersOf(redis, keys, account, destination)),
    ];
    // The request may have carried a part of a batch, whose id it continues.
    const sameId = candidates.filter((one) => one.webhookId !== '' && `${webhookId}-`.startsWith(`${one.webhookId}-`));
    const events = (found: { body: string; attempt: string }) =>
      payloadsOf(found.body, kind, Math.max(1, Number(found.attempt))).filter((payload) =>
        carried(keyOf(payload, kind)),
      );
    for (const one of sameId) {
      const found = await readBody(redis, one);
      const payloads = found === undefined ? [] : events(found);
      if (payloads.length > 0) return heldIn(one, payloads);
    }
    const [firstKey] = facts?.eventKeys ?? [];
    if (firstKey === undefined || attempt.events === 1) return undefined;
    let chars = 0;
    for (const one of candidates) {
      const found = await readBody(redis, one);
      if (found === undefined) continue;
      if (found.body.includes(JSON.stringify(firstKey))) return heldIn(one, events(found));
      chars += found.body.length;
      if (chars > SEARCHED_CHARS_MAX) return undefined;
    }
    return undefined;
  };

const keyOf = (payload: Readonly<Record<string, unknown>>, kind: Mechanism): string =>
  String(payload[kind === 'campaign' ? 'hash' : 'messageId']);

const heldIn = ({ deadLetter }: Candidate, payloads: Record<string, unknown>[]): DeliveryAttemptDetail['held'] =>
  deadLetter === undefined ? { state: 'resend', payloads } : { state: 'dead', deadLetter, payloads };

async function readBody(redis: Redis, { key, deadLetter }: Candidate) {
  const [body, attempt] = await redis.hmget(key, 'body', deadLetter === undefined ? 'attempt' : 'attempts');
  return body == null ? undefined : { body, attempt: attempt ?? '' };
}

async function resendsOf(redis: Redis, keys: EngineKeys, destination: string): Promise<Candidate[]> {
  const ids = await redis.srandmember(keys.resendsOf(destination), RESENDS_MAX);
  const found = await readFields(
    redis,
    ids.map((id) => keys.resend(id)),
    ['wid'],
  );
  return found.map(({ key, fields: [webhookId] }) => ({ key, webhookId: webhookId ?? '' }));
}

async function deadLettersOf(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  destination: string,
): Promise<Candidate[]> {
  const members = await redis.zrevrange(keys.deadLettersOf(account), 0, DEAD_LETTERS_MAX - 1);
  const places = members.map((member) => readListMember(member, keys.shard)).filter(({ kind }) => kind === keys.kind);
  const found = await readFields(
    redis,
    places.map(({ id }) => keys.deadLetter(id)),
    ['wid', 'dest'],
  );
  return found.flatMap(({ key, fields: [webhookId, dest] }, i) =>
    dest === destination
      ? [{ key, webhookId: webhookId ?? '', deadLetter: formatDeadLetterId(places[i] as (typeof places)[number]) }]
      : [],
  );
}

/** Reads small fields of many records in one round trip. */
async function readFields(redis: Redis, records: readonly string[], names: readonly string[]) {
  const pipeline = redis.pipeline();
  for (const key of records) pipeline.hmget(key, ...names);
  const replies = (await pipeline.exec()) ?? [];
  return records.map((key, i) => {
    const [error, fields] = replies[i] as [Error | null, (string | null)[]];
    if (error !== null) throw error;
    return { key, fields };
  });
}
