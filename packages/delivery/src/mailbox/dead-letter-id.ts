import type { Mechanism } from '@mailhook/core';

export interface DeadLetterId {
  readonly kind: Mechanism;
  readonly shard: number;
  /** Its name in Redis. */
  readonly id: string;
}

/** The first character of a dead letter's public id, and of its members in the sorted sets. */
export const kindPrefix = (kind: Mechanism): 'c' | 't' => (kind === 'campaign' ? 'c' : 't');

/** The public id, such as `c0_w1_7-3`. */
export const formatDeadLetterId = ({ kind, shard, id }: DeadLetterId): string => `${kindPrefix(kind)}${shard}_${id}`;

/** Undefined for a text that is no public id. */
export function parseDeadLetterId(text: string): DeadLetterId | undefined {
  const [, prefix, shard, id] = /^([ct])(\d{1,4})_([\w.-]{1,200})$/.exec(text) ?? [];
  if (id === undefined) return undefined;
  return { kind: prefix === 'c' ? 'campaign' : 'transactional', shard: Number(shard), id };
}

/** A member of the sorted sets of dead letters. */
export const readListMember = (member: string, shard: number): DeadLetterId => ({
  kind: member.startsWith('c') ? 'campaign' : 'transactional',
  shard,
  id: member.slice(1),
});

/** The id of the job that shows a dead letter to operators. */
export const deadLetterJobId = (deadLetter: string): string => `dl-${deadLetter}`;
