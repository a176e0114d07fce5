import type { DeliveryAttempt } from '@mailhook/core';
import { fingerprints } from '../mailbox/fingerprints.ts';
import type { AttemptFacts, AttemptRecord } from './attempt-record.ts';

/** An attempt as stored, with fingerprints of its events. The key of the list names the account. */
export type AttemptRow = Omit<DeliveryAttempt, 'subscription' | 'unconfirmed' | 'error'> & {
  /** Packed. */
  readonly error?: string;
  /** Absent if `facts` names all events, in the same order (`keysIn`). */
  readonly keys?: string;
  readonly unconfirmed?: string;
  readonly emails?: string;
  /** Of version 2 alone. */
  readonly messageIds?: string;
  /** Absent if they are equal to the keys. */
  readonly hashes?: string;
  readonly facts?: AttemptFacts;
};

/** A row begins with its id, by which `AttemptLog.read` finds it. */
export const rowOf = ({
  id,
  eventKeys,
  unconfirmedKeys,
  emails,
  messageIds,
  hashes,
  ...attempt
}: AttemptRecord): string =>
  JSON.stringify({
    id,
    ...attempt,
    account: undefined,
    error: attempt.error?.packed,
    keys: areAllNamed(eventKeys, attempt) ? undefined : fingerprints(eventKeys),
    unconfirmed: unconfirmedKeys && fingerprints(unconfirmedKeys),
    emails: emails && fingerprints(emails),
    messageIds: messageIds && fingerprints(messageIds),
    hashes: hashes && fingerprints(hashes),
  });

const areAllNamed = (
  eventKeys: readonly string[],
  { status, facts }: Pick<AttemptRecord, 'status' | 'facts'>,
): boolean => status === 'delivered' && facts?.eventKeys.length === eventKeys.length;

/** The fingerprints of a row's events. */
export const keysIn = ({ keys, facts }: Pick<AttemptRow, 'keys' | 'facts'>): string =>
  keys ?? fingerprints(facts?.eventKeys ?? []);
