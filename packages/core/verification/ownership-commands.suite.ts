import { createFreezing } from './ownership-freeze.suite.ts';
import { createSettling } from './ownership-settle.suite.ts';
import type { Rule } from './ownership-rules.suite.ts';
import type { Drain, State, Worker, World } from './ownership-state.suite.ts';
import { IN_FLIGHT_MAX, NOBODY, holdsAnything, hasDue, hasInFlight, waits } from './ownership-state.suite.ts';

/** The effects of all functions, as changes of one state. Leaves out the rule that the world is without. */
export function createScripts(world: World) {
  const on = (rule: Rule): boolean => world.without !== rule;
  const { freeze, resendInFlight, inFlightToResends } = createFreezing(world);
  const { decide, trim, settle } = createSettling(world);

  function queueReady(state: State): void {
    if (state.owner === NOBODY) state.ready = true;
  }

  function endOwnership(state: State): void {
    state.owner = NOBODY;
    for (const worker of state.workers) {
      for (const drain of worker.drains) drain.current = false;
      // Its requests in flight reach the receiver beside those of the next owner. Its later calls are refused, so they
      // change nothing.
      if (on('fence') && on('fresh token')) worker.drains.splice(0);
    }
  }

  const mayClaim = (state: State, by: number): boolean =>
    state.workers[by]!.lease !== 'over' || !on('claim only with a lease');

  /** Returns the new owner's drain. If the reply is lost, the caller does not keep the drain. */
  function claim(state: State, by: number): Drain {
    endOwnership(state);
    const worker = state.workers[by]!;
    state.owner = by;
    state.parked = false;
    if (on('claim takes a lease') && worker.lease === 'none') worker.lease = 'held';
    if (!on('fresh token')) for (const old of worker.drains) old.current = true;
    return { current: true, isGivingUp: false, resync: false, flights: [] };
  }

  /**
   * If no batch is in flight, releases or parks the destination, or puts it on the ready list. Returns true if the
   * drain ends.
   */
  function finish(state: State, drain: Drain, isReleasing: boolean): boolean {
    if (hasInFlight(state)) return false;
    if ((state.deleted || state.givenUp.length > 0) && holdsAnything(state)) {
      drain.isGivingUp = true;
      return false;
    }
    if (state.paused || (state.breaker === 'parked' && !hasDue(state))) {
      endOwnership(state);
      // Also without waiting events, so that events that arrive later are found when the parking or pause ends.
      if (waits(state) || on('wake after parking')) state.parked = true;
      return true;
    }
    if (!waits(state)) {
      endOwnership(state);
      state.givenUp = [];
      return true;
    }
    if (!isReleasing) return false;
    endOwnership(state);
    if (on('put on the ready list')) queueReady(state);
    return true;
  }

  /** Settles the answered batches and freezes the next ones. Returns true if the drain ends. */
  function next(state: State, by: Worker, drain: Drain, o: { isReleasing: boolean; park: boolean }): boolean {
    const answered = drain.flights.filter((batch) => batch.answer !== '?');
    drain.flights.splice(0, drain.flights.length, ...drain.flights.filter((batch) => batch.answer === '?'));
    if (on('fence') && !drain.current) return true;
    for (const batch of answered) settle(state, by, batch);
    trim(state);
    if (answered.some((batch) => batch.answer !== 'no')) state.breaker = 'closed';
    else if (o.park) state.breaker = 'parked';
    if (!on('release only when empty') && state.window.length === 0 && !hasDue(state)) {
      endOwnership(state);
      return true;
    }
    const inFlight = state.window.filter((entry) => !entry.done).length;
    if (drain.resync) resendInFlight(state, drain);
    else if (on('notice a lost reply') && inFlight > drain.flights.length) {
      drain.resync = true;
      return false;
    }
    drain.resync = false;
    if (!o.isReleasing) freeze(state, drain, IN_FLIGHT_MAX);
    return finish(state, drain, o.isReleasing);
  }

  /**
   * The function runs, but its reply is lost. The drain keeps its old knowledge, and will report the same results
   * again.
   */
  function nextWithoutReply(state: State, by: Worker, drain: Drain): void {
    next(state, by, { ...drain, flights: [...drain.flights] }, { isReleasing: false, park: false });
  }

  /**
   * Discards the events of a deleted destination, or gives up those that an operator gave up. Returns true if the drain
   * ends.
   */
  function giveUpStep(state: State, drain: Drain): boolean {
    drain.isGivingUp = false;
    if (!drain.current) return true;
    if (hasInFlight(state)) return false;
    const all = [...state.lane, ...state.resends.flatMap((resend) => resend.events)];
    if (state.deleted) {
      decide(state, all, 'discarded');
      state.lane = [];
    } else {
      const lost = on('give up only earlier events') ? all.filter((event) => state.givenUp.includes(event)) : all;
      if (lost.some((event) => !state.givenUp.includes(event))) state.wrong ??= 'events are given up that came later';
      decide(state, lost, 'dead');
      state.lane = state.lane.filter((event) => !lost.includes(event));
    }
    state.resends = [];
    state.givenUp = [];
    return finish(state, drain, false);
  }

  /**
   * Claims the destination, sends unsettled batches again, and freezes the next one. Returns undefined if there is
   * nothing to drain.
   */
  function startDrain(state: State, by: number): Drain | undefined {
    const drain = claim(state, by);
    if (state.deleted || state.givenUp.length > 0) inFlightToResends(state);
    else resendInFlight(state, drain);
    freeze(state, drain, 1);
    return finish(state, drain, false) ? undefined : drain;
  }

  function append(state: State, by: number, chunk: number, room: boolean): Drain | undefined {
    if (on('job exists') && state.jobs[chunk] === 'gone') return undefined;
    if (on('mark') && state.marks[chunk] === true) return undefined;
    state.marks[chunk] = true;
    if (state.deleted) {
      decide(state, [chunk], 'discarded');
      return undefined;
    }
    state.lane.push(chunk);
    const free = on('claim only without an owner') ? state.owner === NOBODY : state.owner !== by;
    if (!free || state.ready) return undefined;
    if (state.breaker === 'parked' || state.paused) return undefined;
    if (room && mayClaim(state, by)) return startDrain(state, by);
    queueReady(state);
    return undefined;
  }

  function take(state: State, by: number): Drain | undefined {
    if (!mayClaim(state, by)) return undefined;
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
  function requestGiveUp(state: State): void {
    state.givenUp = [...state.lane, ...state.resends.flatMap((resend) => resend.events)];
    queueReady(state);
  }

  function putBack(state: State): void {
    endOwnership(state);
    if (on('put on the ready list')) queueReady(state);
  }

  return {
    on,
    queueReady,
    next,
    nextWithoutReply,
    giveUpStep,
    append,
    take,
    wake,
    pause,
    resume,
    requestGiveUp,
    putBack,
  };
}
