import { createFreezing } from './ownership-freeze.suite.ts';
import { createSettling } from './ownership-settle.suite.ts';
import type { Rule } from './ownership-rules.suite.ts';
import type { Drain, State, Worker, World } from './ownership-state.suite.ts';
import { IN_FLIGHT_MAX, NOBODY, holdsAnything, isDue, isOpen, waits } from './ownership-state.suite.ts';

/** The effects of all scripts, as changes of one state. Leaves out the rule that the world is without. */
export function createScripts(world: World) {
  const on = (rule: Rule): boolean => world.without !== rule;
  const { freeze, reopen, unfreeze } = createFreezing(world);
  const { decide, trim, settle } = createSettling(world);

  function queueReady(state: State): void {
    if (state.owner === NOBODY) state.ready = true;
  }

  function disown(state: State): void {
    state.owner = NOBODY;
    for (const worker of state.workers) {
      for (const drain of worker.drains) drain.current = false;
      // Its requests in flight reach the receiver beside those of the next owner. Its later calls are refused, so they change nothing.
      if (on('fence') && on('fresh token')) worker.drains.splice(0);
    }
  }

  /** Returns the new owner's drain. If the reply is lost, the caller does not keep the drain. */
  function claim(state: State, by: number): Drain {
    disown(state);
    const worker = state.workers[by]!;
    state.owner = by;
    state.parked = false;
    if (on('claim takes a lease') && worker.lease === 'none') worker.lease = 'held';
    if (!on('fresh token')) for (const old of worker.drains) old.current = true;
    return { current: true, purging: false, resync: false, flights: [] };
  }

  /** If no batch is in flight, releases or parks the destination, or puts it on the ready list. Returns true if the drain ends. */
  function finish(state: State, drain: Drain, leaving: boolean): boolean {
    if (isOpen(state)) return false;
    if ((state.deleted || state.given.length > 0) && holdsAnything(state)) {
      drain.purging = true;
      return false;
    }
    if (state.paused || (state.breaker === 'parked' && !isDue(state))) {
      disown(state);
      // Also without waiting events, so that events that arrive later are found when the parking or pause ends.
      if (waits(state) || on('remember held mail')) state.parked = true;
      return true;
    }
    if (!waits(state)) {
      disown(state);
      state.given = [];
      return true;
    }
    if (!leaving) return false;
    disown(state);
    if (on('hand over to the ready list')) queueReady(state);
    return true;
  }

  /** Settles the answered batches and freezes the next ones. Returns true if the drain ends. */
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

  /** The script runs, but its reply is lost. The drain keeps its old knowledge, and will report the same results again. */
  function nextUnheard(state: State, by: Worker, drain: Drain): void {
    next(state, by, { ...drain, flights: [...drain.flights] }, { leaving: false, park: false });
  }

  /** Discards the events of a deleted destination, or gives up those that an operator gave up. Returns true if the drain ends. */
  function purge(state: State, drain: Drain): boolean {
    drain.purging = false;
    if (!drain.current) return true;
    if (isOpen(state)) return false;
    const all = [...state.mail, ...state.resends.flatMap((resend) => resend.events)];
    if (state.deleted) {
      decide(state, all, 'dropped');
      state.mail = [];
    } else {
      const lost = on('give up only what was there') ? all.filter((event) => state.given.includes(event)) : all;
      if (lost.some((event) => !state.given.includes(event))) state.wrong ??= 'mail is given up that came later';
      decide(state, lost, 'dead');
      state.mail = state.mail.filter((event) => !lost.includes(event));
    }
    state.resends = [];
    state.given = [];
    return finish(state, drain, false);
  }

  /** Claims the destination, sends unsettled batches again, and freezes the next one. Returns undefined if there is nothing to drain. */
  function startDrain(state: State, by: number): Drain | undefined {
    const drain = claim(state, by);
    if (state.deleted || state.given.length > 0) unfreeze(state);
    else reopen(state, drain);
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
    if (state.breaker === 'parked' || state.paused) return undefined;
    if (room) return startDrain(state, by);
    queueReady(state);
    return undefined;
  }

  function take(state: State, by: number): Drain | undefined {
    state.ready = false;
    return startDrain(state, by);
  }

  function wake(state: State): void {
    if (waits(state) || state.window.length > 0 || (state.deleted && holdsAnything(state))) queueReady(state);
    else state.parked = false;
  }

  function pause(state: State): void {
    state.paused = true;
    if (on('wake on pause')) queueReady(state);
  }

  function resume(state: State): void {
    state.paused = false;
    state.parked = false;
    queueReady(state);
  }

  /** Marks the events that are there now as given up. */
  function drop(state: State): void {
    state.given = [...state.mail, ...state.resends.flatMap((resend) => resend.events)];
    queueReady(state);
  }

  function reap(state: State): void {
    disown(state);
    if (on('hand over to the ready list')) queueReady(state);
  }

  return { on, queueReady, next, nextUnheard, purge, append, take, wake, pause, resume, drop, reap };
}
