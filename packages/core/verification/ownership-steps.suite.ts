import type { Step } from './explore.suite.ts';
import type { Fault, Go } from './ownership-operator.suite.ts';
import { operatorSteps } from './ownership-operator.suite.ts';
import { createScripts } from './ownership-commands.suite.ts';
import type { Drain, State, Worker, World } from './ownership-state.suite.ts';
import {
  DEAD,
  IN_FLIGHT_MAX,
  UNKNOWN,
  WORKERS,
  copy,
  frozenEvents,
  holdsAnything,
  hasDue,
  newWorker,
} from './ownership-state.suite.ts';

/** Every step that a state allows: the processes that call the functions, and the faults. */
export function createSteps(world: World) {
  const scripts = createScripts(world);
  const { on } = scripts;

  return function* steps(state: State): Generator<Step<State>> {
    const go = (label: string, change: (next: State) => void, mayHappen = false): Step<State> => {
      const next = copy(state);
      change(next);
      return { label, mayHappen, next };
    };
    const fault = (kind: keyof State['left'], label: string, change: (next: State) => void): Step<State> =>
      go(
        label,
        (next) => {
          next.left[kind] -= 1;
          change(next);
          if (next.left.faults + next.left.losses === 0) calm(next);
        },
        true,
      );

    for (const [chunk, job] of state.jobs.entries()) {
      if (job === 'waiting') {
        for (let w = 0; w < WORKERS; w += 1) {
          if (state.left.faults + state.left.losses === 0) {
            yield* wholeRun(chunk, w, go);
            continue;
          }
          yield go(`worker ${w} starts job ${chunk}`, (next) => {
            next.jobs[chunk] = 'active';
            next.workers[w]!.runs.push({ chunk, appended: false, locked: true });
          });
        }
      }
      const zombieRuns = state.workers.some((worker) =>
        worker.runs.some((run) => run.chunk === chunk && !run.appended),
      );
      if (job === 'gone' && state.marks[chunk] === true && zombieRuns) {
        yield go(`mark ${chunk} expires`, (next) => void (next.marks[chunk] = false), true);
      }
    }

    for (const [w, worker] of state.workers.entries()) {
      yield* runSteps(state, w, worker, go, fault);
      for (const d of worker.drains.keys()) yield* drainSteps(state, w, d, go, fault);
      yield* workerSteps(state, w, worker, go, fault);
    }

    if (on('put back after the lease') && state.owner === DEAD)
      yield go('a survivor puts back the destination of a dead worker', scripts.putBack);
    for (const [i, resend] of state.resends.entries()) {
      if (resend.where === 'later' && (on('reconcile') || resend.job)) {
        yield go(`the resend of ${resend.events.join('+')} is due`, (next) => {
          next.resends[i]!.where = 'due';
          // While paused, the end of the pause wakes the destination instead.
          if (!next.paused) scripts.wake(next);
        });
      }
    }
    if (state.breaker === 'parked') yield go('the parking ends', (next) => void (next.breaker = 'probing'));
    if (state.parked && state.breaker !== 'parked' && !state.paused)
      yield go('the parked destination is woken', scripts.wake);
    yield* operatorSteps(state, scripts, go, fault);
    if (state.left.deletions > 0) {
      yield fault('deletions', 'the destination is deleted', (next) => {
        next.deleted = true;
        next.parked = false;
        if (on('wake on delete') && holdsAnything(next)) scripts.queueReady(next);
      });
    }
  };

  /** Removes differences that only another fault could make visible, which reduces the number of states. */
  function calm(state: State): void {
    for (const worker of state.workers) {
      for (const run of worker.runs) if (run.locked) state.jobs[run.chunk] = run.appended ? 'gone' : 'waiting';
      worker.runs.splice(0, worker.runs.length, ...worker.runs.filter((run) => !run.locked));
    }
  }

  /** A run that no fault can interrupt any more, as one step instead of three. */
  function* wholeRun(chunk: number, w: number, go: Go): Generator<Step<State>> {
    for (const room of [true, false]) {
      yield go(`worker ${w} runs job ${chunk}${room ? '' : ' without room'}`, (next) => {
        const drain = scripts.append(next, w, chunk, room);
        if (drain !== undefined) next.workers[w]!.drains.push(drain);
        next.jobs[chunk] = 'gone';
      });
    }
  }

  function* runSteps(state: State, w: number, worker: Worker, go: Go, fault: Fault): Generator<Step<State>> {
    for (const [r, run] of worker.runs.entries()) {
      const who = `worker ${w}${run.locked ? '' : ' (stalled)'}`;
      if (run.appended) {
        yield go(`${who} completes job ${run.chunk}`, (next) => {
          next.workers[w]!.runs.splice(r, 1);
          if (run.locked) next.jobs[run.chunk] = 'gone';
        });
        continue;
      }
      for (const room of [true, false]) {
        const what = `${who} appends ${run.chunk}${room ? '' : ' without room'}`;
        yield go(what, (next) => {
          const drain = scripts.append(next, w, run.chunk, room);
          if (drain !== undefined) next.workers[w]!.drains.push(drain);
          if (run.locked) next.workers[w]!.runs[r]!.appended = true;
          else next.workers[w]!.runs.splice(r, 1);
        });
        if (state.left.losses > 0 && room) {
          yield fault('losses', `${what}, the reply is lost`, (next) => {
            scripts.append(next, w, run.chunk, room);
            next.workers[w]!.runs.splice(r, 1);
            if (run.locked) next.jobs[run.chunk] = 'waiting';
          });
        }
      }
    }
  }

  function endDrain(drains: Drain[], drain: Drain): void {
    const at = drains.indexOf(drain);
    if (at !== -1) drains.splice(at, 1);
  }

  function* drainSteps(state: State, w: number, d: number, go: Go, fault: Fault): Generator<Step<State>> {
    const drain = state.workers[w]!.drains[d]!;
    const who = `worker ${w}'s ${drain.current ? 'drain' : 'stale drain'}`;
    for (const [b, batch] of drain.flights.entries()) {
      if (batch.answer !== '?') continue;
      const what = `${who} sends ${batch.kind}${batch.events.join('+')}, attempt ${batch.attempt}`;
      yield go(`${what}: confirmed`, (next) => {
        next.workers[w]!.drains[d]!.flights[b]!.answer = 'ok';
      });
      if (state.left.failures === 0) continue;
      yield fault('failures', `${what}: fails`, (next) => {
        next.workers[w]!.drains[d]!.flights[b]!.answer = 'no';
      });
      if (batch.events.length > 1) {
        yield fault('failures', `${what}: ${batch.events[0]!} confirmed`, (next) => {
          next.workers[w]!.drains[d]!.flights[b]!.answer = 'part';
        });
      }
    }
    if (drain.isGivingUp) {
      yield go(`${who} gives up the events`, (next) => {
        const { drains } = next.workers[w]!;
        const drain = drains[d]!;
        if (scripts.giveUpStep(next, drain)) endDrain(drains, drain);
      });
      return;
    }
    const answered = drain.flights.some((batch) => batch.answer !== '?');
    const more = drain.flights.length < IN_FLIGHT_MAX && (frozenEvents(state) < state.lane.length || hasDue(state));
    if (!answered && !more && !drain.resync && drain.flights.length > 0) return;
    const call = (next: State, o: { isReleasing: boolean; park: boolean }): void => {
      const { drains } = next.workers[w]!;
      const own = drains[d]!;
      if (scripts.next(next, next.workers[w]!, own, o)) endDrain(drains, own);
    };
    yield go(`${who}: next`, (next) => call(next, { isReleasing: false, park: false }));
    if (drain.flights.every((batch) => batch.answer !== '?')) {
      yield go(`${who}: next, releasing`, (next) => call(next, { isReleasing: true, park: false }));
    }
    if (state.left.parkings > 0 && drain.flights.some((batch) => batch.answer === 'no')) {
      yield fault('parkings', `${who}: next, parking`, (next) => call(next, { isReleasing: false, park: true }));
    }
    if (state.left.losses > 0) {
      yield fault('losses', `${who}: next, the reply is lost`, (next) => {
        scripts.nextWithoutReply(next, next.workers[w]!, next.workers[w]!.drains[d]!);
      });
    }
  }

  /** A survivor searches a page for the destinations of a worker whose lease has ended. */
  function searchStep(w: number, { searched }: Worker, go: Go): Step<State> {
    return go(`a survivor searches the ${searched ? 'last' : 'first'} page for worker ${w}`, (next) => {
      if (next.owner === w && world.isOnLastPage === searched) scripts.putBack(next);
      next.workers[w]!.searched = !searched;
      if (!searched) return;
      // A worker that is forgotten gets a lease again with its next heartbeat or claim. Without a rule, it may own a
      // destination while it has none.
      next.workers[w]!.lease = on('claim takes a lease') && next.owner !== w ? 'held' : 'none';
    });
  }

  function* workerSteps(state: State, w: number, worker: Worker, go: Go, fault: Fault): Generator<Step<State>> {
    if (state.ready) {
      yield go(`worker ${w} takes`, (next) => {
        const drain = scripts.take(next, w);
        if (drain !== undefined) next.workers[w]!.drains.push(drain);
      });
      if (state.left.losses > 0) {
        yield fault('losses', `worker ${w} takes, the reply is lost`, (next) => void scripts.take(next, w));
      }
    }
    if (worker.lease !== 'held') {
      yield go(`worker ${w} sends a heartbeat`, (next) => {
        next.workers[w]!.lease = 'held';
        if (on('search anew')) next.workers[w]!.searched = false;
      });
    }
    if (worker.lease === 'over' && on('put back after the lease')) yield searchStep(w, worker, go);
    if (state.owner === w && on('put back orphans') && !worker.drains.some((drain) => drain.current)) {
      yield go(`worker ${w} puts back an orphan`, scripts.putBack);
    }
    if (worker.moves.length > 0) {
      yield go(`worker ${w} moves a failed batch`, (next) => void next.resends.push(next.workers[w]!.moves.shift()!));
    }
    if (worker.adds.length > 0) {
      yield go(`worker ${w} adds a wake-up`, (next) => {
        const id = next.workers[w]!.adds.shift();
        for (const resend of next.resends) if (resend.events[0] === id) resend.job = true;
      });
    }
    const busy = worker.runs.length + worker.drains.length + worker.moves.length + worker.adds.length > 0;
    if (state.left.faults === 0 || !(busy || state.owner === w)) return;
    const loseLocks = (next: State): void => {
      for (const run of next.workers[w]!.runs) if (run.locked) next.jobs[run.chunk] = 'waiting';
    };
    /** Every stall loses the job locks. With `keepsLease`, it is too short to lose the lease. */
    const stallWorker = (next: State, keepsLease: boolean): void => {
      loseLocks(next);
      const stalled = next.workers[w]!;
      // A run that has appended would only complete its job, which it may not do without the lock.
      const late = stalled.runs.filter((run) => !run.appended);
      for (const run of late) run.locked = false;
      stalled.runs.splice(0, stalled.runs.length, ...late);
      if (!keepsLease && stalled.lease === 'held') stalled.lease = 'over';
    };
    yield fault('faults', `worker ${w} crashes`, (next) => {
      loseLocks(next);
      const isPassed = worker.searched && !world.isOnLastPage;
      if (next.owner === w) next.owner = worker.lease === 'none' || isPassed ? UNKNOWN : DEAD;
      next.workers[w] = newWorker();
    });
    for (const keepsLease of [true, false]) {
      yield fault('faults', `worker ${w} stalls${keepsLease ? ' for a moment' : ''}`, (next) =>
        stallWorker(next, keepsLease),
      );
    }
  }
}
