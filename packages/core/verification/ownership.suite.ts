import type { Protocol } from './explore.suite.ts';
import type { State, World } from './ownership-state.suite.ts';
import { IN_FLIGHT_MAX, NOBODY, encode, holdsAnything, initialState } from './ownership-state.suite.ts';
import { createSteps } from './ownership-steps.suite.ts';

export function ownershipProtocol(world: World): Protocol<State> {
  const events = Array.from({ length: world.chunks }, (_, event) => event);
  const fenced = world.without !== 'fence';
  return {
    initial: initialState(world),
    steps: createSteps(world),
    encode,
    violation(state) {
      const holders = state.workers.flatMap((worker) => worker.drains).filter((drain) => drain.current || !fenced);
      if (holders.length > 1) return 'two drains settle for one destination';
      if (holders.some((drain) => drain.flights.length > IN_FLIGHT_MAX)) return 'too many batches in flight';
      return state.wrong;
    },
    isRest: (state) =>
      state.jobs.every((job) => job === 'gone') &&
      state.fate.every((fate) => fate !== '') &&
      state.owner === NOBODY &&
      !state.ready &&
      !holdsAnything(state) &&
      state.workers.every((worker) => worker.runs.length + worker.drains.length + worker.moves.length === 0),
    diagnose(state) {
      const missing = events.filter((event) => state.fate[event] === '');
      const held = [...state.lane, ...state.resends.flatMap((resend) => resend.events)];
      const lost = missing.filter((event) => state.marks[event] === true && !held.includes(event));
      if (lost.length > 0) return `event ${lost.join(', ')} is lost`;
      if (state.owner !== NOBODY) return 'owned, but no worker drains it';
      if (held.length > 0 || state.window.length > 0)
        return `event ${held.join(', ')} waits, and no worker will take it`;
      return 'stuck';
    },
  };
}
