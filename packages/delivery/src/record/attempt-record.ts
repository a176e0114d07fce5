import type { AttemptReply, DeliveryAttempt, EventType, Mechanism } from '@mailhook/core';
import {
  attemptReplyOf,
  emailKey,
  eventsIn,
  fragmentEmail,
  fragmentHash,
  fragmentMessageId,
  fragmentType,
  isVersion2,
  publicIdOf,
  splitOf,
  webPageInDelivery,
} from '@mailhook/core';
import type { KeptHeaders } from '../receiver-client/delivery-headers.ts';
import { keptHeaders } from '../receiver-client/delivery-headers.ts';
import type { Attempt, Sent, SentRequest } from './attempt.ts';

/** What names each event of a request, for searches. Stored as fingerprints. */
interface SearchKeys {
  /** The ids of events of version 2, and the hashes or the `messageId` of those of version 1. */
  readonly eventKeys: readonly string[];
  /** In the order of `eventKeys`, in lower case. Absent for a notification of version 1, which names none. */
  readonly emails?: readonly string[];
  /** Of events of version 2, in the order of `eventKeys`, '' where one has none. */
  readonly messageIds?: readonly string[];
  /** The same. Absent if all are equal to the ids. */
  readonly hashes?: readonly string[];
}

/** One attempt for the log. `module`: of a test. Otherwise it follows from `kind`. */
export interface AttemptRecord extends Omit<DeliveryAttempt, 'subscription'>, SearchKeys {
  readonly account: string;
  /** The keys of the events that were not acknowledged, if the batch was acknowledged in part. */
  readonly unconfirmedKeys?: readonly string[];
  /** Undefined after an internal error. */
  readonly facts?: AttemptFacts;
}

/** What an attempt sent and got back. The row has it in short form, because an account's rows have few bytes. */
export interface AttemptFacts {
  /** Undefined if nothing was sent. `isRepeated`: it was sent twice (see `ExchangeFacts`). */
  readonly request?: KeptHeaders & { readonly bytes: number; readonly isRepeated?: true };
  /** Only of attempts that failed, and of tests. */
  readonly reply?: AttemptReply;
  /** Keys of the events, those that were not confirmed first. */
  readonly eventKeys: readonly string[];
}

/**
 * Most keys of a delivered attempt. A batch of 1,000 events has 25 kB of them. Failed attempts keep all: they are few,
 * because a destination is parked after some failures.
 */
const DELIVERED_KEYS_MAX = 20;

const attemptIdOf = (batch: string, attempt: number): string => `${batch}-${attempt.toString(36)}`;

/** The id of the batch of an attempt. While the batch is resent as a whole, the record of its resend has this id. */
export const batchOfAttempt = (attemptId: string): string => attemptId.slice(0, attemptId.lastIndexOf('-'));

/**
 * Builds the log's record of an attempt. The status considers only events that the request carried: `dead` if some were
 * given up, else `failed` if some will be sent again.
 */
export function attemptRecordOf(
  { destination, batch, target, webhookId, sent, settlement, endedAtMs }: Attempt,
  kind: Mechanism,
): AttemptRecord {
  const { outcome, request } = sent;
  // A batch counts as delivered by its body alone.
  const page =
    batch.shape === 'batch' || request?.received === undefined ? undefined : webPageInDelivery(request.received);
  const error = outcome.error ?? page;
  const own = settlement.followUps.filter(({ isTried }) => isTried);
  const isDead = own.some(({ type }) => type === 'dead');
  const resend = own.find(({ type }) => type !== 'dead');
  const split = splitOf(batch.search, batch.events);
  const fragments = sent.fragments === '' ? [] : eventsIn(sent.fragments);
  return {
    id: attemptIdOf(batch.id, batch.attempt),
    time: new Date(endedAtMs).toISOString(),
    account: target.account,
    ...searchKeysOf(sent.eventKeys, fragments, kind),
    // When the whole request is sent again, none of its events counts as acknowledged.
    ...(outcome.unconfirmed === 'all' || outcome.unconfirmed.length === 0 || settlement.delivered === 0
      ? {}
      : { unconfirmedKeys: outcome.unconfirmed.map((position) => sent.eventKeys[position] ?? '') }),
    kind,
    shape: batch.shape,
    destination: publicIdOf(target.account, destination),
    address: target.address,
    webhookId,
    events: sent.events,
    types: [...new Set(fragments.map((fragment) => fragmentType(fragment, kind)))] as EventType[],
    attempt: batch.attempt,
    status: isDead ? 'dead' : resend === undefined ? 'delivered' : 'failed',
    ...(outcome.httpStatus === undefined ? {} : { httpStatus: outcome.httpStatus }),
    durationMs: Math.round(sent.durationMs * 10) / 10,
    ...(error === undefined ? {} : { error }),
    ...(split === undefined ? {} : { split }),
    ...(resend === undefined ? {} : { nextAttemptAt: new Date(endedAtMs + resend.waitMs).toISOString() }),
    ...(request === undefined
      ? {}
      : {
          facts: { ...factsOf(request, own.length > 0), eventKeys: keysOf(sent, own.length > 0) },
        }),
  };
}

function searchKeysOf(eventKeys: readonly string[], fragments: readonly string[], kind: Mechanism): SearchKeys {
  const [first = ''] = fragments;
  if (!isVersion2(first) && kind === 'transactional') return { eventKeys };
  const emails = fragments.map(fragmentEmail).map(emailKey);
  if (!isVersion2(first)) return { eventKeys, emails };
  const messageIds = fragments.map(fragmentMessageId);
  const hashes = fragments.map(fragmentHash);
  const areIds = hashes.every((hash, position) => hash === eventKeys[position]);
  return { eventKeys, emails, messageIds, ...(areIds ? {} : { hashes }) };
}

/** The keys of the events that were not confirmed, then the others. */
function keysOf({ outcome, eventKeys }: Sent, isFailed: boolean): readonly string[] {
  if (!isFailed) return eventKeys.slice(0, DELIVERED_KEYS_MAX);
  if (outcome.unconfirmed === 'all') return eventKeys;
  const open = new Set(outcome.unconfirmed);
  return [
    ...eventKeys.filter((_key, position) => open.has(position)),
    ...eventKeys.filter((_key, position) => !open.has(position)),
  ];
}

/** The facts of a request and its reply, without its events. */
export function factsOf(
  { wasSent, isRepeated, headers, body, received }: SentRequest,
  keepsReply: boolean,
): AttemptFacts {
  if (!wasSent) return { eventKeys: [] };
  const { at, ...kept } = keptHeaders(headers);
  return {
    request: { at, bytes: Buffer.byteLength(body), ...kept, ...(isRepeated === true ? { isRepeated } : {}) },
    ...(received === undefined || !keepsReply ? {} : { reply: attemptReplyOf(received) }),
    eventKeys: [],
  };
}
