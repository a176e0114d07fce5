import { destinationIdOf, keyOfPayload, payloadsOf } from '@mailhook/core';
import type { DeliveryAttemptDetail, Shape } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { batchOfAttempt } from '@mailhook/delivery';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import {
  formatDeadLetterId,
  readDeadLetter,
  readDeadLetters,
  readListMember,
  readResend,
  readResends,
} from '@mailhook/delivery/mailbox';
import type { KeptAttempt } from './attempt-log.ts';

/** The events of an attempt that Mailhook still holds, or undefined if it holds none of them. */
export type ReadHeldEvents = (account: string, kept: KeptAttempt) => Promise<DeliveryAttemptDetail['held']>;

/** Most resends of a destination, and most dead letters of an account, that a search reads. */
export const RESENDS_MAX = 1000;
export const DEAD_LETTERS_MAX = 1000;
/** Most characters of bodies that a search by an event's key reads. */
const SEARCHED_CHARS_MAX = 8_000_000;

/** A resend or a dead letter of the attempt's destination. */
interface Candidate {
  readonly webhookId: string;
  readonly deadLetter?: string;
  /** Undefined if it is gone, or was never sent. */
  readonly read: () => Promise<Sent | undefined>;
}

interface Sent {
  readonly body: string;
  readonly attempt: number;
  readonly shape: Shape;
}

const UNKNOWN: DeliveryAttemptDetail['held'] = { state: 'unknown', payloads: [] };

/**
 * Reads the first resend, else the newest dead letter, that the attempt left. Both keep the `webhook-id` of a request
 * that failed as a whole. After a partial acknowledgement they have a new one, so they are searched for the first event
 * that was not confirmed. The result is `unknown` if there are too many to search them all.
 */
export const createReadHeldEvents =
  (installation: Installation): ReadHeldEvents =>
  async (account, { attempt, facts, carried }) => {
    const { kind, webhookId } = attempt;
    if (kind === 'test' || webhookId === undefined || attempt.destination === undefined) return undefined;
    const { redis } = installation;
    const keys = installation.keysOf(account, kind);
    const destination = destinationIdOf(account, attempt.destination);
    // The only resend of a request with one event, which is no part of a batch, is known by its id.
    const isResendKnown = attempt.events === 1 && attempt.split === undefined;
    const [resends, deadLetters, resendCount, deadLetterCount] = await Promise.all([
      resendsOf(redis, keys, destination, batchOfAttempt(attempt.id), isResendKnown ? 0 : RESENDS_MAX),
      deadLettersOf(redis, keys, account, destination),
      isResendKnown ? 0 : redis.scard(keys.resendsOf(destination)),
      redis.zcard(keys.deadLettersOf(account)),
    ]);
    const candidates = [...resends, ...deadLetters];
    const notFound = resendCount > RESENDS_MAX || deadLetterCount > DEAD_LETTERS_MAX ? UNKNOWN : undefined;
    // The request may have carried a part of a batch, whose id it continues.
    const sameId = candidates.filter((one) => one.webhookId !== '' && `${webhookId}-`.startsWith(`${one.webhookId}-`));
    const events = (found: Sent) =>
      payloadsOf(found.body, Math.max(1, found.attempt), found.shape).filter((payload) =>
        carried(keyOfPayload(payload)),
      );
    for (const one of sameId) {
      const found = await one.read();
      const payloads = found === undefined ? [] : events(found);
      if (payloads.length > 0) return heldIn(one, payloads);
    }
    const [firstKey] = facts?.eventKeys ?? [];
    if (firstKey === undefined || attempt.events === 1) return notFound;
    let chars = 0;
    for (const one of candidates) {
      const found = await one.read();
      if (found === undefined) continue;
      if (found.body.includes(JSON.stringify(firstKey))) return heldIn(one, events(found));
      chars += found.body.length;
      if (chars > SEARCHED_CHARS_MAX) return UNKNOWN;
    }
    return notFound;
  };

const heldIn = ({ deadLetter }: Candidate, payloads: Record<string, unknown>[]): DeliveryAttemptDetail['held'] =>
  deadLetter === undefined ? { state: 'resend', payloads } : { state: 'dead', deadLetter, payloads };

/** The resend with an id, then up to `atMost` others. */
async function resendsOf(
  redis: Redis,
  keys: EngineKeys,
  destination: string,
  first: string,
  atMost: number,
): Promise<Candidate[]> {
  const ids = atMost === 0 ? [] : await redis.srandmember(keys.resendsOf(destination), atMost);
  const found = await readResends(redis, keys, [...new Set([first, ...ids])]);
  return found
    .filter((resend) => resend.destination === destination)
    .map(({ id, webhookId }) => ({
      webhookId,
      read: async () => {
        const one = await readResend(redis, keys, id);
        return one === undefined ? undefined : { body: one.body, attempt: one.resend.attempt, shape: one.resend.shape };
      },
    }));
}

async function deadLettersOf(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  destination: string,
): Promise<Candidate[]> {
  const members = await redis.zrevrange(keys.deadLettersOf(account), 0, DEAD_LETTERS_MAX - 1);
  const places = members.map((member) => readListMember(member, keys.shard)).filter(({ kind }) => kind === keys.kind);
  const found = await readDeadLetters(redis, keys.prefix, places);
  return found
    .filter((deadLetter) => deadLetter.destination === destination)
    .map(({ place, webhookId }) => ({
      webhookId,
      deadLetter: formatDeadLetterId(place),
      read: async () => {
        const one = await readDeadLetter(redis, keys.prefix, place);
        if (one?.body === undefined) return undefined;
        return { body: one.body, attempt: one.deadLetter.attempts, shape: one.deadLetter.shape };
      },
    }));
}
