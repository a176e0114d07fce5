import type { DrainReply } from '../../../packages/delivery/src/scripts/drain-reply.ts';
import { newState } from './mailbox-state.ts';
import type { Entry, Lane, MailboxState, Name } from './mailbox-state.ts';
import { must } from './violation.ts';

/** A worker's report of an attempt: the delivered events, and the follow-ups of the others. */
export interface Settle {
  readonly id: string;
  readonly attempt: number;
  readonly delivered: readonly Name[];
  readonly followUps: readonly FollowUp[];
  /** The version of the record that the attempt was made for. */
  readonly version: number;
  readonly judgesAddress: boolean;
}

export interface FollowUp {
  readonly type: 'x' | 'q' | 'd';
  readonly id: string;
  readonly events: readonly Name[];
  readonly waitMs: number;
}

export interface Freeze {
  /** Most batches of new events in flight, and most resends; 0 freezes nothing. */
  readonly window: number;
  readonly leaving: boolean;
  /** Batches in flight that the caller knows. The reply repeats the others. Absent: it repeats none. */
  readonly known?: ReadonlySet<string>;
}

/** Most batches in flight, most events of a batch. */
export const MOST = 4;
export const BATCH_MAX = 3;

const isPast = (untilMs: number): boolean => untilMs <= Date.now();

/**
 * The specified behavior of one campaign destination's mailbox. Where the scripts may choose (which batch leaves next), the model checks that their
 * choice is allowed and adopts it. Everything else it decides alone. `compareWithRedis` compares both after each step.
 */
export class MailboxModel {
  s: MailboxState = newState();
  /** All ids of batches with their contents. Redis may forget them, but a receiver does not. */
  readonly #contents = new Map<string, string>();

  get isOpen(): boolean {
    return this.s.window.some(({ isDone }) => !isDone);
  }
  get isPaused(): boolean {
    return !isPast(this.s.pausedUntilMs);
  }
  get isParked(): boolean {
    return !isPast(this.s.breaker.parkedUntilMs);
  }
  get holdsEvents(): boolean {
    return this.s.lanes.f.length + this.s.lanes.u.length > 0;
  }
  get holdsAnything(): boolean {
    return this.holdsEvents || this.s.window.length > 0 || this.s.resends.size > 0;
  }

  get isGivenUp(): boolean {
    return this.s.givenUpUntilMs > 0;
  }

  append(lane: Lane, entries: readonly Entry[], room: boolean): 'dropped' | 'owned' | 'claimed' | 'ready' | 'held' {
    const { s } = this;
    const events = entries.flatMap((entry) => entry.events);
    for (const event of events) s.accepted.add(event);
    if (s.record.deleted) {
      for (const event of events) s.dropped.add(event);
      return 'dropped';
    }
    s.lanes[lane].push(...entries);
    if (s.owner !== '') return 'owned';
    if (s.ready || this.isParked || this.isPaused) return 'held';
    if (room) return 'claimed';
    s.ready = true;
    return 'ready';
  }

  claim(token: string): void {
    this.s.owner = token;
    if (!this.isPaused) this.s.pausedUntilMs = 0;
  }

  release(): void {
    this.s.owner = '';
  }

  queueReady(): void {
    if (this.s.owner === '') this.s.ready = true;
  }

  settle(settles: readonly Settle[]): Set<string> {
    const follow = new Set<string>();
    for (const settle of settles) if (this.#settleOne(settle)) follow.add(settle.id);
    if (settles.length > 0) this.#trim();
    return follow;
  }

  /** Returns whether the events are resent to a new address. */
  #settleOne({ id, attempt, delivered, followUps, version, judgesAddress }: Settle): boolean {
    const { s } = this;
    const batch = s.window.find((one) => one.id === id && !one.isDone && one.attempt === attempt);
    if (batch === undefined) return false;
    batch.isDone = true;
    for (const event of delivered) s.delivered.add(event);
    const isDead = followUps.some(({ type }) => type === 'd');
    const follows = isDead && judgesAddress && version !== s.record.version && s.record.active;
    let isSame = false;
    for (const followUp of followUps) {
      if (followUp.type === 'd' && !follows) {
        s.deadLetters.set(followUp.id, followUp.events);
        continue;
      }
      const isLater = followUp.type === 'x';
      isSame ||= followUp.id === id;
      this.see(followUp.id, followUp.events);
      const place = isLater ? ('later' as const) : ('due' as const);
      s.resends.set(followUp.id, { events: followUp.events, attempt, place, dueAtMs: Date.now() + followUp.waitMs });
      if (!isLater) s.due.push(followUp.id);
    }
    if (batch.lane === 'x' && !isSame) s.resends.delete(id);
    return follows;
  }

  #trim(): void {
    const { s } = this;
    const blocked = new Set<string>();
    s.window = s.window.filter((batch) => {
      if (batch.isDone && (batch.lane === 'x' || !blocked.has(batch.lane))) {
        if (batch.lane !== 'x') s.lanes[batch.lane].splice(0, batch.entries);
        return false;
      }
      if (batch.lane !== 'x') blocked.add(batch.lane);
      return true;
    });
  }

  /** Checks a reply's batches and takes them over, ends the step, and checks the reply's status. */
  serve(reply: DrainReply, freeze: Freeze): void {
    const fresh = [...reply.batches];
    if (freeze.known !== undefined) this.#reopen(fresh, freeze.known);
    const before = this.s.window.length;
    for (const batch of fresh) this.#freezeOne(batch, freeze);
    const mayFreeze = this.s.record.active && !this.isPaused && !this.isGivenUp && freeze.window > 0 && !freeze.leaving;
    if (mayFreeze && !this.isOpen && before === this.s.window.length) {
      must(
        this.s.due.every((id) => !this.s.resends.has(id)),
        'a due resend is left although nothing is in flight',
      );
      must(this.isParked || !this.holdsEvents, 'events are left although nothing is in flight');
    }
    this.finish(reply.status, freeze.leaving);
  }

  #reopen(batches: DrainReply['batches'][number][], known: ReadonlySet<string>): void {
    const at = { f: 0, u: 0 };
    for (const batch of this.s.window) {
      if (!batch.isDone && !known.has(batch.id)) {
        batch.attempt += 1;
        const resend = this.s.resends.get(batch.id);
        if (batch.lane === 'x' && resend !== undefined) resend.attempt = batch.attempt;
        const got = batches.shift();
        must(got?.id === batch.id && got.attempt === batch.attempt, `batch ${batch.id} does not come again`);
        must(got.content === batch.events.join('\n'), `batch ${batch.id} comes again with other events`);
      }
      if (batch.lane !== 'x') at[batch.lane] += batch.entries;
    }
  }

  #freezeOne({ id, lane, attempt, content }: DrainReply['batches'][number], { window, leaving }: Freeze): void {
    const { s } = this;
    must(!leaving && s.record.active && !s.record.deleted, 'a batch is frozen for a destination that is off');
    must(!this.isPaused && !this.isGivenUp, 'a batch is frozen although the destination is paused or given up');
    const open = s.window.filter(({ isDone }) => !isDone);
    const isCautious = s.breaker.parkedUntilMs > 0;
    const ofKind = open.filter((one) => (one.lane === 'x') === (lane === 'x')).length;
    must(open.length < (isCautious ? 1 : MOST) && ofKind < window, 'too many batches are in flight');
    if (lane === 'x') {
      while (s.due.length > 0 && !s.resends.has(s.due[0] ?? '')) s.due.shift();
      const resend = s.resends.get(id);
      must(s.due.shift() === id && resend !== undefined, `resend ${id} leaves out of turn`);
      resend.place = 'window';
      resend.attempt += 1;
      must(resend.attempt === attempt, `resend ${id} leaves as attempt ${attempt}, not ${resend.attempt}`);
      must(content === resend.events.join('\n'), `resend ${id} has other events`);
      s.window.push({ id, lane, entries: 0, events: resend.events, attempt, isDone: false });
      return;
    }
    must(!this.isParked, 'a new event leaves although the destination is parked');
    const events = content.split('\n');
    must(attempt === 1, 'a new batch has attempt 1');
    must(events.length <= (isCautious ? 1 : BATCH_MAX), 'a batch is too large');
    const other = lane === 'f' ? 'u' : 'f';
    const mayAlternate = !isCautious && this.#unfrozen(other) > 0 && this.#unfrozen(lane) > 0;
    must(!mayAlternate || s.lastLane !== lane, 'a lane leaves twice in a row while the other one holds events');
    s.lastLane = lane;
    const entries = this.#takeEntries(lane, events);
    this.see(id, events);
    s.window.push({ id, lane, entries, events, attempt, isDone: false });
  }

  #frozen(lane: Lane): number {
    return this.s.window.filter((one) => one.lane === lane).reduce((sum, { entries }) => sum + entries, 0);
  }
  #unfrozen(lane: Lane): number {
    return this.s.lanes[lane].length - this.#frozen(lane);
  }

  /** The number of unfrozen entries that hold these events, from the head. Only the first may be cut. */
  #takeEntries(lane: Lane, events: readonly Name[]): number {
    const from = this.#frozen(lane);
    const list = this.s.lanes[lane];
    let entries = 0;
    let taken = 0;
    while (taken < events.length) {
      const entry = list[from + entries];
      must(entry !== undefined, 'a batch holds events that are not in its lane');
      if (taken + entry.events.length > events.length) {
        must(entries === 0, 'an entry is cut that is not the first of its batch');
        const cut = (start: number, end?: number): Entry => ({ ...entry, events: entry.events.slice(start, end) });
        list.splice(from, 1, cut(0, events.length), cut(events.length));
        continue;
      }
      for (const event of entry.events) must(event === events[(taken += 1) - 1], `event ${event} is out of order`);
      entries += 1;
    }
    return entries;
  }

  /** An id never names two contents. */
  see(id: string, events: readonly Name[]): void {
    const content = events.join('\n');
    must((this.#contents.get(id) ?? content) === content, `id ${id} names two contents`);
    this.#contents.set(id, content);
  }

  /** Checks the status of a reply and ends the step. The due list may contain ids of deleted resends, which count as due. */
  finish(status: DrainReply['status'], leaving: boolean): void {
    const { s } = this;
    const live = s.due.filter((id) => s.resends.has(id));
    const wanted = [this.#endOf(leaving, live.length > 0)];
    if (live.length < s.due.length) wanted.push(this.#endOf(leaving, true));
    must(wanted.includes(status), `the status is ${status}, not ${wanted.join(' or ')}`);
    if (['parked', 'idle', 'left'].includes(status)) this.release();
    if (status === 'left') this.queueReady();
    if (status === 'idle') [s.givenUpUntilMs, s.due] = [0, []];
  }

  #endOf(leaving: boolean, isDue: boolean): DrainReply['status'] {
    const { s } = this;
    if (this.isOpen) return 'ok';
    if ((!s.record.active || this.isGivenUp) && (this.holdsEvents || isDue || s.resends.size > 0)) return 'purge';
    if (!s.record.deleted && ((s.record.active && this.isPaused) || (this.isParked && !isDue))) return 'parked';
    if (!this.holdsEvents && !isDue) return 'idle';
    return leaving ? 'left' : 'again';
  }

  /** Empties the window before a purge. Batches in flight become due resends. */
  unfreeze(): void {
    const { s } = this;
    for (const batch of s.window) {
      if (batch.lane !== 'x') s.lanes[batch.lane].splice(0, batch.entries);
      if (batch.isDone) continue;
      const resend = s.resends.get(batch.id);
      if (resend !== undefined) resend.place = 'due';
      else s.resends.set(batch.id, { events: batch.events, attempt: batch.attempt, place: 'due', dueAtMs: 0 });
      s.due.push(batch.id);
    }
    s.window = [];
  }

  /** The events that one purge gives up, per dead letter: first the resends, then the lanes. */
  giveUpNext(): Name[][] {
    const { s } = this;
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

  /** A job or a heartbeat wakes the destination, for a resend or ('') for itself. */
  wake(id: string): void {
    const { s } = this;
    if (id !== '') {
      const resend = s.resends.get(id);
      if (resend?.place !== 'later' || resend.dueAtMs > Date.now() + 1000) return;
      resend.place = 'due';
      s.due.push(id);
    }
    if (s.owner !== '' || s.ready) return;
    const isDue = s.due.length > 0;
    if (s.record.active && !this.isGivenUp && s.window.length === 0) {
      const untilMs = this.isPaused || !isDue ? Math.max(s.breaker.parkedUntilMs, s.pausedUntilMs) : 0;
      if (untilMs > Date.now() + 1000) return;
    }
    if (id !== '' && s.record.active && this.isPaused) return;
    const isEmpty = s.window.length === 0 && !this.holdsEvents && !isDue;
    if (!this.isPaused && isEmpty && (s.record.active || s.resends.size === 0)) return;
    s.ready = true;
  }
}
