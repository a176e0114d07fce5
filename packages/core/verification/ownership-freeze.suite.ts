import type { Rule } from './ownership-rules.suite.ts';
import type { Drain, Entry, State, World } from './ownership-state.suite.ts';
import { IN_FLIGHT_MAX, frozenEvents } from './ownership-state.suite.ts';

/** How the functions choose the next batches and record them as in flight, before they are sent. */
export function createFreezing(world: World) {
  const on = (rule: Rule): boolean => world.without !== rule;

  const mishaps = ({ left }: State): number =>
    world.faults - left.faults + world.losses - left.losses + world.failures - left.failures;

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
    const from = frozenEvents(state);
    const events = state.lane.slice(from, from + max);
    if (events.length === 0) return false;
    const entry: Entry = { kind: 'f', id: events[0]!, size: events.length, attempt: 1, done: false };
    state.window.push(entry);
    freezeForSend(state, drain, entry, events);
    return true;
  }

  /**
   * Freezes due resends even while parked, but new batches only when not parked. While the breaker is not closed, only
   * one batch is in flight, and a new batch has one event. Otherwise neither due resends nor new batches take the last
   * place from the other kind.
   */
  function freeze(state: State, drain: Drain, window: number): void {
    if (state.givenUp.length > 0 || (state.paused && on('freeze nothing while paused'))) return;
    const isCautious = state.breaker !== 'closed';
    for (;;) {
      const inFlight = state.window.filter((entry) => !entry.done);
      const due = inFlight.filter(({ kind }) => kind === 'x').length;
      const fresh = inFlight.length - due;
      const room = (isCautious ? 1 : IN_FLIGHT_MAX) - inFlight.length;
      const isLastPlace = !isCautious && room === 1;
      const mayDue = due < window && room > 0 && !(isLastPlace && fresh === 0);
      const mayFresh = fresh < window && room > 0 && !(isLastPlace && due === 0 && state.resends.length > 0);
      const taken =
        !state.deleted &&
        ((mayDue && takeDue(state, drain)) ||
          (mayFresh && state.breaker !== 'parked' && takeFresh(state, drain, isCautious ? 1 : world.batchMax)));
      if (!taken) return;
      if (state.paused) state.wrong ??= 'something new is sent while the destination is paused';
    }
  }

  /**
   * Sends the unsettled batches again that the drain does not know. The previous owner left them, or the reply that
   * contained them was lost.
   */
  function resendInFlight(state: State, drain: Drain): void {
    if (!on('resend batches in flight')) return;
    const known = [...drain.flights];
    let from = 0;
    for (const entry of state.window) {
      if (!entry.done && !known.some((batch) => batch.kind === entry.kind && batch.events[0] === entry.id)) {
        const resend = state.resends.find((other) => other.where === 'window' && other.events[0] === entry.id);
        const again = on('raise the attempt') ? entry.attempt + 1 : entry.attempt;
        if (entry.kind === 'f') {
          entry.attempt = again;
          freezeForSend(state, drain, entry, state.lane.slice(from, from + entry.size));
        } else if (resend !== undefined) {
          entry.attempt = again;
          resend.attempt = again;
          freezeForSend(state, drain, entry, resend.events, resend.step);
        }
      }
      from += entry.size;
    }
  }

  /**
   * Dissolves the window of a destination that was deleted or given up. The batches that an earlier owner left in
   * flight become due resends, which are not sent.
   */
  function inFlightToResends(state: State): void {
    let from = 0;
    for (const entry of state.window) {
      const events = state.lane.slice(from, from + entry.size);
      if (!entry.done && entry.kind === 'f')
        state.resends.push({ events, attempt: entry.attempt, step: 0, where: 'due', job: true });
      from += entry.size;
    }
    state.lane = state.lane.slice(from);
    state.window = [];
    for (const resend of state.resends) if (resend.where === 'window') resend.where = 'due';
  }

  return { freeze, resendInFlight, inFlightToResends };
}
