import type { DeliveryAttempt } from '@mailhook/core';
import { fingerprints } from '../mailbox/fingerprints.ts';
import type { AttemptFacts, AttemptRecord } from './attempt-record.ts';

/** An attempt as stored, with fingerprints of its events. The key of the list names the account. */
export type AttemptRow = Omit<DeliveryAttempt, 'subscription' | 'unconfirmed' | 'error'> & {
  /** Packed. */
  readonly error?: string;
  readonly keys: string;
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
    keys: fingerprints(eventKeys),
    unconfirmed: unconfirmedKeys && fingerprints(unconfirmedKeys),
    emails: emails && fingerprints(emails),
    messageIds: messageIds && fingerprints(messageIds),
    hashes: hashes && fingerprints(hashes),
  });
