import type { Mechanism } from '@mailhook/core';

/** Where a dead letter lies: its public id tells. */
export interface DeadLetterId {
  readonly kind: Mechanism;
  readonly shard: number;
  readonly id: string;
}

export const formatDeadLetterId = ({ kind, shard, id }: DeadLetterId): string =>
  `${kind === 'campaign' ? 'c' : 't'}${shard}_${id}`;

/** Undefined: no id of ours. */
export function parseDeadLetterId(text: string): DeadLetterId | undefined {
  const [, letter, shard, id] = /^([ct])(\d{1,4})_([\w.-]{1,200})$/.exec(text) ?? [];
  if (id === undefined) return undefined;
  return { kind: letter === 'c' ? 'campaign' : 'transactional', shard: Number(shard), id };
}

/** As it stands in the sorted sets, of its shard and of its account, where letters are in order of time. */
export const readListMember = (member: string, shard: number): DeadLetterId => ({
  kind: member.startsWith('c') ? 'campaign' : 'transactional',
  shard,
  id: member.slice(1),
});

/** The id of the job that shows a dead letter to operators. */
export const deadLetterJobId = (deadLetter: string): string => `dl-${deadLetter}`;
