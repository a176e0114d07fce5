import { IDLE, OWNED, READY, WAITING } from '../../../packages/delivery/src/mailbox/constants.ts';
import { RARE } from '../../../packages/delivery/src/mailbox/layout.ts';
import type { FieldRow } from '../../../packages/delivery/src/mailbox/layout.ts';
import { holdsEvents, isPaused, unfrozen } from './mailbox-state.ts';
import type { Entry, MailboxState, Name } from './mailbox-state.ts';
import type { RealState } from './real-state.ts';
import { entryTextOf } from './script-arguments.ts';
import { must } from './violation.ts';

const STATUS = { idle: IDLE, ready: READY, owned: OWNED, waiting: WAITING } as const;

const same = (what: string, mine: unknown, theirs: unknown): void => {
  const [a, b] = [JSON.stringify(mine), JSON.stringify(theirs)];
  must(a === b, `${what}: the model has ${a}, Redis ${b}`);
};

/** Compares the model with everything that Redis holds. */
export function compareWithRedis(s: MailboxState, real: RealState): void {
  const { state } = real;
  // A mailbox without a state remembers nothing.
  if (!real.isLive) s.lastLane = 'f';
  same('status', STATUS[s.status], state.status);
  same('owner', s.owner, state.owner);
  compareEvents(s, real);
  compareResends(s, real);
  same('dead letters', sorted([...s.deadLetters]), sorted([...real.deadLetters]));
  const { failures, parkMs, parkedUntilMs } = s.breaker;
  // The record of a deleted destination has no breaker, and nothing is sent to it.
  if (!s.record.deleted) {
    const { record } = state;
    same('breaker', [failures, parkMs, parkedUntilMs !== 0], [state.failures, state.parkMs, state.parkedUntilMs !== 0]);
    same('paused', s.pausedUntilMs !== 0, state.pausedUntilMs !== 0);
    same('given up', s.givenUpUntilMs, state.giveUpUntilMs);
    same('record and state', real.recordVersions, [record, state.version, state.revision, state.isProven]);
  }
  same('record', s.record, { active: real.isActive, deleted: real.isDeleted, version: state.version });
  same('undelivered', countUndelivered(s), real.sums.events);
  same('bytes held', bytesInMailbox(s) + real.deadLetterBytes, real.sums.bytes);
  checkPlaces(s, real);
}

function compareEvents(s: MailboxState, { head, lanes, state }: RealState): void {
  same('first entry', head !== '', state.hasHead);
  for (const lane of ['f', 'u'] as const) {
    same(
      `lane ${lane}`,
      s.lanes[lane].map(({ events }) => events),
      lanes[lane],
    );
  }
  const counted = (['f', 'u'] as const).map((lane) => unfrozen(s, lane).flatMap(({ events }) => events).length);
  same('events that are not frozen', counted, [state.fresh, state.unsubscribes]);
  same('last lane', s.lastLane, state.lastLane);
  same(
    'window',
    s.window.map(({ id, lane, entries, events, attempt, bytes, isSettled }) => [
      id,
      lane,
      entries,
      events.length,
      attempt,
      bytes,
      isSettled,
    ]),
    state.window.map(({ id, lane, entries, events, attempt, bytes, isSettled }) => [
      id,
      lane,
      entries,
      events,
      attempt,
      bytes,
      isSettled,
    ]),
  );
}

function compareResends(s: MailboxState, real: RealState): void {
  same(
    'due',
    s.due.filter((id) => s.resends.has(id)),
    real.due.filter((id) => real.resends.has(id)),
  );
  same('number of due resends', real.due.length, real.state.dueResends);
  same('number of resends', s.resends.size, real.state.resends);
  same(
    'resends',
    sorted([...s.resends].map(([id, { events, attempt }]) => [id, events, attempt])),
    sorted([...real.resends].map(([id, { events, attempt }]) => [id, events, attempt])),
  );
  same(
    'later',
    [...s.resends]
      .filter(([, { place }]) => place === 'later')
      .map(([id]) => id)
      .sort(),
    [...real.later].sort(),
  );
}

/** The sets and lists in which processes find the mailbox. */
function checkPlaces(s: MailboxState, real: RealState): void {
  must(s.status !== 'ready' || real.readyPlaces >= 1, 'it is ready and stands in no list');
  must(s.status !== 'waiting' || real.isInParked, 'it waits and nothing wakes it');
  must(!isPaused(s) || s.record.deleted || real.isInPaused, 'it is paused and not among the paused');
  must(!real.isLive || remembersAnything(real.state), 'it keeps a state, and there is nothing to remember');
  must(real.isOwnerKnown, 'its owner has no lease, so nobody notices its death');
  const holds = holdsEvents(s) || s.window.length > 0;
  same('since when it holds events', holds, real.state.holdsEventsSinceMs !== 0);
  same('backlog', real.state.isListed ? real.state.holdsEventsSinceMs : 0, real.backlogMs);
  must(s.status !== 'waiting' || !holds || real.state.isListed, 'it waits with events and is in no backlog');
}

const remembersAnything = (state: RealState['state']): boolean =>
  state.status !== IDLE ||
  state.holdsEventsSinceMs > 0 ||
  RARE.some(([name, , , note]: FieldRow) => note !== 'beside' && Boolean(state[name as keyof typeof state]));

/** The entries of both lanes, without those of settled batches that are not trimmed yet. */
function unsettledEntries(s: MailboxState): Entry[] {
  const settled = new Set<Entry>();
  const at = { f: 0, u: 0 };
  for (const { lane, entries, isSettled } of s.window) {
    if (lane === 'x') continue;
    if (isSettled) for (const entry of s.lanes[lane].slice(at[lane], at[lane] + entries)) settled.add(entry);
    at[lane] += entries;
  }
  return [...s.lanes.f, ...s.lanes.u].filter((entry) => !settled.has(entry));
}

/** The bytes of waiting events and of resends. */
function bytesInMailbox(s: MailboxState): number {
  const texts = [
    ...unsettledEntries(s).map(entryTextOf),
    ...[...s.resends.values()].map(({ events }) => events.join('\n')),
  ];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/**
 * Checks that every accepted event is in exactly one place. Returns the number of events that are not delivered, dead
 * or discarded.
 */
function countUndelivered(s: MailboxState): number {
  const places = new Map<Name, number>();
  const put = (events: Iterable<Name>): void => {
    for (const event of events) places.set(event, (places.get(event) ?? 0) + 1);
  };
  for (const { events } of unsettledEntries(s)) put(events);
  for (const { events } of s.resends.values()) put(events);
  const open = places.size;
  for (const events of s.deadLetters.values()) put(events);
  put(s.delivered);
  put(s.dropped);
  put(s.erased);
  for (const event of s.accepted)
    must(places.get(event) === 1, `event ${event} is in ${places.get(event) ?? 0} places`);
  must(places.size === s.accepted.size, 'there are events that nobody accepted');
  return open;
}

const sorted = (rows: readonly (readonly unknown[])[]): unknown[] => rows.map((row) => JSON.stringify(row)).sort();
