import type { DrainReply } from '../../../packages/delivery/src/mailbox/replies.ts';
import type { BatchContents } from './batch-contents.ts';
import { BATCH_MAX, WINDOW_MAX } from './limits.ts';
import { frozenEntries, isGivenUp, isParked, isPaused, unfrozen } from './mailbox-state.ts';
import type { Entry, Lane, MailboxState, Name } from './mailbox-state.ts';
import { entryTextOf } from './script-arguments.ts';
import { must } from './violation.ts';

export interface Freeze {
  /** Most batches of new events in flight, and most resends. 0 freezes nothing. */
  readonly window: number;
  readonly isReleasing: boolean;
  /** Batches in flight that the caller knows. The reply repeats the others. Without it, the reply repeats none. */
  readonly known?: ReadonlySet<string>;
}

/** Checks that the reply repeats the batches in flight that the caller does not know. Removes them from `batches`. */
export function resendInFlight(
  s: MailboxState,
  batches: DrainReply['batches'][number][],
  known: ReadonlySet<string>,
): void {
  for (const batch of s.window) {
    if (batch.isSettled || known.has(batch.id)) continue;
    batch.attempt += 1;
    const resend = s.resends.get(batch.id);
    if (batch.lane === 'x' && resend !== undefined) resend.attempt = batch.attempt;
    const got = batches.shift();
    must(got?.id === batch.id && got.attempt === batch.attempt, `batch ${batch.id} does not come again`);
    must(got.fragments === batch.events.join('\n'), `batch ${batch.id} comes again with other events`);
  }
}

/** Checks that the commands may freeze this batch now, and adds it to the window. */
export function freezeBatch(
  s: MailboxState,
  batch: DrainReply['batches'][number],
  { window, isReleasing }: Freeze,
  contents: BatchContents,
): void {
  const { id, lane, attempt, fragments } = batch;
  must(lane !== 'r', 'a batch is of a replay, and the model has none');
  must(!isReleasing && s.record.active && !s.record.deleted, 'a batch is frozen for a destination that is off');
  must(!isPaused(s) && !isGivenUp(s), 'a batch is frozen although the destination is paused or given up');
  const open = s.window.filter(({ isSettled }) => !isSettled);
  const isCautious = s.breaker.parkedUntilMs > 0;
  const ofKind = open.filter((one) => (one.lane === 'x') === (lane === 'x')).length;
  must(open.length < (isCautious ? 1 : WINDOW_MAX) && ofKind < window, 'too many batches are in flight');
  if (lane === 'x') {
    while (s.due.length > 0 && !s.resends.has(s.due[0] ?? '')) s.due.shift();
    const resend = s.resends.get(id);
    must(s.due.shift() === id && resend !== undefined, `resend ${id} leaves out of turn`);
    resend.place = 'window';
    resend.attempt += 1;
    must(resend.attempt === attempt, `resend ${id} leaves as attempt ${attempt}, not ${resend.attempt}`);
    must(fragments === resend.events.join('\n'), `resend ${id} has other events`);
    const bytes = fragments.length;
    s.window.push({ id, lane, entries: 0, events: resend.events, bytes, attempt, isSettled: false });
    return;
  }
  must(!isParked(s), 'a new event leaves although the destination is parked');
  const events = fragments.split('\n');
  must(attempt === 1, 'a new batch has attempt 1');
  must(events.length <= (isCautious ? 1 : BATCH_MAX), 'a batch is too large');
  const other = lane === 'f' ? 'u' : 'f';
  const mayAlternate = !isCautious && unfrozen(s, other).length > 0 && unfrozen(s, lane).length > 0;
  must(!mayAlternate || s.lastLane !== lane, 'a lane leaves twice in a row while the other one holds events');
  s.lastLane = lane;
  const entries = takeEntries(s, lane, events);
  const next = s.lanes[lane][frozenEntries(s, lane) + entries.length];
  const fits = next !== undefined && events.length + next.events.length <= (isCautious ? 1 : BATCH_MAX);
  must(!fits, 'a batch leaves although the next entry fits into it');
  contents.see(id, events);
  const bytes = entries.map(entryTextOf).join('').length;
  s.window.push({ id, lane, entries: entries.length, events, bytes, attempt, isSettled: false });
}

/** The unfrozen entries at the head that hold these events. Only the first may be split. */
function takeEntries(s: MailboxState, lane: Lane, events: readonly Name[]): readonly Entry[] {
  const from = frozenEntries(s, lane);
  const list = s.lanes[lane];
  let entries = 0;
  let taken = 0;
  while (taken < events.length) {
    const entry = list[from + entries];
    must(entry !== undefined, 'a batch holds events that are not in its lane');
    if (taken + entry.events.length > events.length) {
      must(entries === 0, 'an entry is split that is not the first of its batch');
      const part = (start: number, end?: number): Entry => ({ ...entry, events: entry.events.slice(start, end) });
      list.splice(from, 1, part(0, events.length), part(events.length));
      continue;
    }
    for (const event of entry.events) must(event === events[(taken += 1) - 1], `event ${event} is out of order`);
    entries += 1;
  }
  return list.slice(from, from + entries);
}
