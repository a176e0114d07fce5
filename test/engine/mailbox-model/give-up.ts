import type { Entry, MailboxState, Name } from './mailbox-state.ts';

/** Empties the window before events are given up. Batches in flight become due resends. */
export function inFlightToResends(s: MailboxState): void {
  for (const batch of s.window) {
    if (batch.lane !== 'x') s.lanes[batch.lane].splice(0, batch.entries);
    if (batch.isSettled) continue;
    const resend = s.resends.get(batch.id);
    if (resend !== undefined) resend.place = 'due';
    else s.resends.set(batch.id, { events: batch.events, attempt: batch.attempt, place: 'due', dueAtMs: 0 });
    s.due.push(batch.id);
  }
  s.window = [];
}

/** The events that one step gives up, per dead letter: first the resends, then the lanes. */
export function giveUpNext(s: MailboxState): Name[][] {
  const given: Name[][] = [];
  if (s.resends.size > 0) {
    given.push(...[...s.resends.values()].map(({ events }) => [...events]));
    s.resends.clear();
  } else {
    s.due = [];
    for (const lane of ['u', 'f'] as const) {
      const list = s.lanes[lane];
      const isKept = ({ atMs }: Entry): boolean => s.record.active && atMs > s.givenUpUntilMs;
      const kept = list.findIndex(isKept);
      const some = list.splice(0, kept === -1 ? list.length : kept).flatMap(({ events }) => events);
      if (some.length > 0) given.push(some);
    }
  }
  if (s.record.deleted) for (const event of given.flat()) s.dropped.add(event);
  return given;
}
