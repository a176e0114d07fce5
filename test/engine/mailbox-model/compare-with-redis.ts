import type { Entry, MailboxState, Name } from './mailbox-state.ts';
import type { RealBatch, RealState } from './real-state.ts';
import { entryTextOf } from './script-arguments.ts';
import { must } from './violation.ts';

/** Compares the model with everything that Redis holds. */
export function compareWithRedis(s: MailboxState, real: RealState): void {
  const same = (what: string, mine: unknown, theirs: unknown): void => {
    const [a, b] = [JSON.stringify(mine), JSON.stringify(theirs)];
    must(a === b, `${what}: the model has ${a}, Redis ${b}`);
  };
  same('owner', s.owner, real.owner);
  same('owners', s.owner === '' ? [] : [s.owner.split('_')[0]], real.owners);
  same('ready', s.ready, real.isMarkedReady);
  must(!s.ready || real.readyPlaces >= 1, 'it is marked as ready and stands in no list');
  for (const lane of ['f', 'u'] as const)
    same(
      `lane ${lane}`,
      s.lanes[lane].map(({ events }) => events),
      real.lanes[lane],
    );
  same(
    'window',
    s.window.map(({ events, ...batch }) => ({ ...batch, events: events.length })).map(inOrder),
    real.window.map((batch) => inOrder(batch)),
  );
  same(
    'due',
    s.due.filter((id) => s.resends.has(id)),
    real.due.filter((id) => real.resends.has(id)),
  );
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
  same('dead letters', sorted([...s.deadLetters]), sorted([...real.deadLetters]));
  const { failures, parkMs, parkedUntilMs } = s.breaker;
  // The record of a deleted destination has no breaker, and nothing is sent to it.
  if (!s.record.deleted) same('breaker', [failures, parkMs, parkedUntilMs !== 0], real.breaker);
  same('record', s.record, { active: real.isActive, deleted: real.isDeleted, version: real.version });
  same('undelivered', countUndelivered(s), real.undelivered);
  same('bytes held', bytesInMailbox(s) + real.deadLetterBytes, real.bytesHeld);
}

/** The entries of both lanes, without those of done batches that are not trimmed yet. */
function unsettledEntries(s: MailboxState): Entry[] {
  const settled = new Set<Entry>();
  const at = { f: 0, u: 0 };
  for (const { lane, entries, isDone } of s.window) {
    if (lane === 'x') continue;
    if (isDone) for (const entry of s.lanes[lane].slice(at[lane], at[lane] + entries)) settled.add(entry);
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

/** Checks that every accepted event is in exactly one place. Returns the number of events that are not delivered, dead or discarded. */
function countUndelivered(s: MailboxState): number {
  const places = new Map<Name, number>();
  const put = (events: readonly Name[]): void => {
    for (const event of events) places.set(event, (places.get(event) ?? 0) + 1);
  };
  for (const { events } of unsettledEntries(s)) put(events);
  for (const { events } of s.resends.values()) put(events);
  const open = places.size;
  for (const events of s.deadLetters.values()) put(events);
  put([...s.delivered]);
  put([...s.dropped]);
  for (const event of s.accepted)
    must(places.get(event) === 1, `event ${event} is in ${places.get(event) ?? 0} places`);
  must(places.size === s.accepted.size, 'there are events that nobody accepted');
  return open;
}

const inOrder = ({ id, lane, entries, events, attempt, isDone }: RealBatch): unknown[] => [
  id,
  lane,
  entries,
  events,
  attempt,
  isDone,
];
const sorted = (rows: readonly (readonly unknown[])[]): unknown[] => rows.map((row) => JSON.stringify(row)).sort();
