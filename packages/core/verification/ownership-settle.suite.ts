import type { Rule } from './ownership-rules.suite.ts';
import type { Batch, Resend, State, Worker, World } from './ownership-state.suite.ts';

/**
 * How the functions settle an attempt: which events have reached their end, which are resent, and which leave the
 * mailbox.
 */
export function createSettling(world: World) {
  const on = (rule: Rule): boolean => world.without !== rule;

  function decide(state: State, events: readonly number[], fate: State['fate'][number]): void {
    for (const event of events) {
      state.fate[event] = fate;
      state.attempts[event] = 0;
    }
  }

  function trim(state: State): void {
    if (on('trim a prefix')) {
      let done = state.window.findIndex((entry) => !entry.done);
      if (done === -1) done = state.window.length;
      const gone = state.window.splice(0, done);
      state.lane = state.lane.slice(gone.reduce((sum, entry) => sum + entry.size, 0));
    } else {
      const size = state.window.reduce((sum, entry) => sum + (entry.done ? entry.size : 0), 0);
      state.window = state.window.filter((entry) => !entry.done);
      state.lane = state.lane.slice(size);
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
    if (on('move in the settling function')) state.resends.push(resend);
    else by.moves.push(resend);
    if (!on('reconcile')) by.adds.push(rest[0]!);
  }

  /** Ignores a batch that is not in the window or is settled already. */
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

  return { decide, trim, settle };
}
