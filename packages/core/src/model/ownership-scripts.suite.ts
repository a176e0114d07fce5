import type { Batch, Drain, Entry, Resend, Rule, State, Worker, World } from './ownership-state.suite.ts';
import { IN_FLIGHT_MAX, NOBODY, frozenElements, holdsAnything, isDue, isOpen } from './ownership-state.suite.ts';

/** Everything the scripts do, as changes of one state; a rule that the world is without is left out. */
export function createScripts(world: World) {
  const on = (rule: Rule): boolean => world.without !== rule;

  function decide(state: State, events: readonly number[], fate: State['fate'][number]): void {
    for (const event of events) {
      state.fate[event] = fate;
      state.attempts[event] = 0;
    }
  }

  const mishaps = ({ left }: State): number =>
    world.faults - left.faults + world.losses - left.losses + world.failures - left.failures;

  function queueReady(state: State): void {
    if (state.owner === NOBODY) state.ready = true;
  }

  function disown(state: State): void {
    state.owner = NOBODY;
    for (const worker of state.workers) {
      for (const drain of worker.drains) drain.current = false;
      // What it still has in flight reaches the receiver beside the next owner's requests; its calls are refused: it changes nothing any more.
      if (on('fence') && on('fresh token')) worker.drains.splice(0);
    }
  }

  /** The new owner's drain; a caller whose reply is lost does not keep it. */
  function claim(state: State, by: number): Drain {
    disown(state);
    const worker = state.workers[by]!;
    state.owner = by;
    state.parked = false;
    if (on('claim takes a lease') && worker.lease === 'none') worker.lease = 'held';
    if (!on('fresh token')) for (const old of worker.drains) old.current = true;
    return { current: true, purging: false, resync: false, flights: [] };
  }

  function freezeForSend(state: State, drain: Drain, entry: Entry, events: readonly number[], step = 0): void {
    for (const event of events) {
      const before = state.attempts[event]!;
      if (state.fate[event] !== '') state.wrong ??= `event ${event} is sent again after it was ${state.fate[event]!}`;
      if (entry.attempt !== before + 1)
        state.wrong ??= `event ${event} is frozen with attempt ${entry.attempt} after attempt ${before}`;
      if (entry.attempt > 1 + mishaps(state)) state.wrong ??= `event ${event} is sent again though nothing went wrong`;
      state.attempts[event] = entry.attempt;
    }
    drain.flights.push({ kind: entry.kind, events, attempt: entry.attempt, step, answer: '?' });
  }

  function takeDue(state: State, drain: Drain): boolean {
    const resend = state.resends.find((candidate) => candidate.where === 'due');
    if (resend === undefined) return false;
    resend.where = 'window';
    resend.attempt += 1;
    const entry: Entry = { kind: 'x', id: resend.events[0]!, size: 0, attempt: resend.attempt, done: false };
    state.window.push(entry);
    freezeForSend(state, drain, entry, resend.events, resend.step);
    if (!on('keep the record until settled')) state.resends = state.resends.filter((other) => other !== resend);
    return true;
  }

  function takeFresh(state: State, drain: Drain, max: number): boolean {
    const from = frozenElements(state);
    const events = state.mail.slice(from, from + max);
    if (events.length === 0) return false;
    const entry: Entry = { kind: 'f', id: events[0]!, size: events.length, attempt: 1, done: false };
    state.window.push(entry);
    freezeForSend(state, drain, entry, events);
    return true;
  }

  /** Due resends also while parked; one batch of one event while the breaker is not closed. */
  function freeze(state: State, drain: Drain, atMost: number): void {
    const cautious = state.breaker !== 'closed';
    const limit = cautious ? 1 : atMost;
    while (!state.deleted && state.window.filter((entry) => !entry.done).length < limit) {
      const taken =
        takeDue(state, drain) || (state.breaker !== 'parked' && takeFresh(state, drain, cautious ? 1 : world.batchMax));
      if (!taken) return;
    }
  }

  /** Sends again what is open and not known to be in flight: what the owner before left, or what came with a lost reply. */
  function reopen(state: State, drain: Drain): void {
    if (!on('resend the open window')) return;
    const known = [...drain.flights];
    let from = 0;
    for (const entry of state.window) {
      if (!entry.done && !known.some((batch) => batch.kind === entry.kind && batch.events[0] === entry.id)) {
        const resend = state.resends.find((other) => other.where === 'window' && other.events[0] === entry.id);
        const again = on('count the freezing') ? entry.attempt + 1 : entry.attempt;
        if (entry.kind === 'f') {
          entry.attempt = again;
          freezeForSend(state, drain, entry, state.mail.slice(from, from + entry.size));
        } else if (resend !== undefined) {
          entry.attempt = again;
          resend.attempt = again;
          freezeForSend(state, drain, entry, resend.events, resend.step);
        }
      }
      from += entry.size;
    }
  }

  /** Releases, parks or hands over when nothing is in flight. True: the drain ends. */
  function finish(state: State, drain: Drain, leaving: boolean): boolean {
    if (isOpen(state)) return false;
    const waits = state.mail.length > 0 || isDue(state);
    if (state.deleted && holdsAnything(state)) {
      drain.purging = true;
      return false;
    }
    if (!waits) {
      disown(state);
      return true;
    }
    if (state.breaker === 'parked' && !isDue(state)) {
      disown(state);
      state.parked = true;
      return true;
    }
    if (!leaving) return false;
    disown(state);
    if (on('hand over to the ready list')) queueReady(state);
    return true;
  }

  function trim(state: State): void {
    if (on('trim a prefix')) {
      let done = state.window.findIndex((entry) => !entry.done);
      if (done === -1) done = state.window.length;
      const gone = state.window.splice(0, done);
      state.mail = state.mail.slice(gone.reduce((sum, entry) => sum + entry.size, 0));
    } else {
      const size = state.window.reduce((sum, entry) => sum + (entry.done ? entry.size : 0), 0);
      state.window = state.window.filter((entry) => !entry.done);
      state.mail = state.mail.slice(size);
    }
  }

  function settleFailure(state: State, by: Worker, batch: Batch, rest: readonly number[]): void {
    const record = state.resends.find(
      (r) => r.where === 'window' && batch.kind === 'x' && r.events[0] === batch.events[0],
    );
    const step = batch.step + 1;
    state.resends = state.resends.filter((resend) => resend !== record);
    if (step > world.schedule) return decide(state, rest, 'dead');
    const attempt = record?.attempt ?? batch.attempt;
    const resend: Resend = { events: rest, attempt, step, where: 'later', job: false };
    if (on('move in the settling script')) state.resends.push(resend);
    else by.moves.push(resend);
    if (!on('reconcile')) by.adds.push(rest[0]!);
  }

  /** An id that is not open in the window is ignored. */
  function settle(state: State, by: Worker, batch: Batch): void {
    const entry = state.window.find((e) => !e.done && e.kind === batch.kind && e.id === batch.events[0]);
    if (entry === undefined) return;
    entry.done = true;
    const confirmed = { ok: batch.events.length, part: 1, no: 0, '?': 0 }[batch.answer];
    decide(state, batch.events.slice(0, confirmed), 'delivered');
    if (batch.answer !== 'ok') {
      settleFailure(state, by, batch, batch.events.slice(confirmed));
    } else if (batch.kind === 'x') {
      state.resends = state.resends.filter((r) => r.where !== 'window' || r.events[0] !== batch.events[0]);
    }
  }

  /** Settles what was answered, freezes what comes next. True: the drain ends. */
  function next(state: State, by: Worker, drain: Drain, o: { leaving: boolean; park: boolean }): boolean {
    const answered = drain.flights.filter((batch) => batch.answer !== '?');
    drain.flights.splice(0, drain.flights.length, ...drain.flights.filter((batch) => batch.answer === '?'));
    if (on('fence') && !drain.current) return true;
    for (const batch of answered) settle(state, by, batch);
    trim(state);
    if (answered.some((batch) => batch.answer !== 'no')) state.breaker = 'closed';
    else if (o.park) state.breaker = 'parked';
    if (!on('release only when empty') && state.window.length === 0 && !isDue(state)) {
      disown(state);
      return true;
    }
    const open = state.window.filter((entry) => !entry.done).length;
    if (drain.resync) reopen(state, drain);
    else if (on('notice a lost reply') && open > drain.flights.length) {
      drain.resync = true;
      return false;
    }
    drain.resync = false;
    if (!o.leaving) freeze(state, drain, IN_FLIGHT_MAX);
    return finish(state, drain, o.leaving);
  }

  /** The script runs, but the drain never hears of it: it knows what it knew, and will tell it again. */
  function nextUnheard(state: State, by: Worker, drain: Drain): void {
    next(state, by, { ...drain, flights: [...drain.flights] }, { leaving: false, park: false });
  }

  /** True: the drain ends. */
  function purge(state: State, drain: Drain): boolean {
    drain.purging = false;
    if (!drain.current) return true;
    if (isOpen(state)) return false;
    decide(state, [...state.mail, ...state.resends.flatMap((resend) => resend.events)], 'dropped');
    state.mail = [];
    state.resends = [];
    return finish(state, drain, false);
  }

  /** Claims, sends again what is open, and freezes. Undefined: nothing to drain after all. */
  function startDrain(state: State, by: number): Drain | undefined {
    const drain = claim(state, by);
    reopen(state, drain);
    freeze(state, drain, 1);
    return finish(state, drain, false) ? undefined : drain;
  }

  function append(state: State, by: number, chunk: number, room: boolean): Drain | undefined {
    if (on('job exists') && state.jobs[chunk] === 'gone') return undefined;
    if (on('mark') && state.marks[chunk] === true) return undefined;
    state.marks[chunk] = true;
    if (state.deleted) {
      decide(state, [chunk], 'dropped');
      return undefined;
    }
    state.mail.push(chunk);
    const free = on('leave owned ones alone') ? state.owner === NOBODY : state.owner !== by;
    if (!free || state.ready) return undefined;
    if (state.breaker === 'parked') {
      if (on('remember held mail')) state.parked = true;
      return undefined;
    }
    if (room) return startDrain(state, by);
    queueReady(state);
    return undefined;
  }

  function take(state: State, by: number): Drain | undefined {
    state.ready = false;
    return startDrain(state, by);
  }

  function wake(state: State): void {
    if (holdsAnything(state)) queueReady(state);
    else state.parked = false;
  }

  function reap(state: State): void {
    disown(state);
    if (on('hand over to the ready list')) queueReady(state);
  }

  return { on, queueReady, next, nextUnheard, purge, append, take, wake, reap };
}
