import type { Mechanism } from '@mailhook/core';
import type { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { createDeadLetterCommands } from '../mailbox/commands/manage.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';

/** Numbers of deleted dead letters and of their events. */
export interface Discarded {
  readonly deadLetters: number;
  readonly events: Readonly<Record<Mechanism, number>>;
}

export const NOTHING_DISCARDED: Discarded = { deadLetters: 0, events: { transactional: 0, campaign: 0 } };

export const addDiscarded = (one: Discarded, other: Discarded): Discarded => ({
  deadLetters: one.deadLetters + other.deadLetters,
  events: {
    transactional: one.events.transactional + other.events.transactional,
    campaign: one.events.campaign + other.events.campaign,
  },
});

/** Deletes dead letters permanently, with one function call per mechanism and shard. Pass one page at a time. */
export async function discardDeadLetters(at: Installation, places: readonly DeadLetterId[]): Promise<Discarded> {
  const groups = new Map<string, DeadLetterId[]>();
  for (const place of places) {
    const key = `${place.kind}${place.shard}`;
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  const done = await Promise.all([...groups.values()].map((group) => discardGroup(at, group)));
  return done.reduce(addDiscarded, NOTHING_DISCARDED);
}

async function discardGroup({ redis, prefix }: Installation, group: readonly DeadLetterId[]): Promise<Discarded> {
  const [{ kind, shard }] = group as [DeadLetterId];
  const commands = createDeadLetterCommands(redis, engineKeys(prefix, shard, kind));
  const { deadLetters, events } = await commands.discard(group.map(({ id }) => id));
  return { deadLetters, events: { ...NOTHING_DISCARDED.events, [kind]: events } };
}
