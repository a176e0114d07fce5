import type { Step } from './explore.suite.ts';
import type { createScripts } from './ownership-commands.suite.ts';
import type { State } from './ownership-state.suite.ts';
import { holdsAnything } from './ownership-state.suite.ts';

export type Go = (label: string, change: (next: State) => void, mayHappen?: boolean) => Step<State>;
/** A fault or a decision of the outside world. Uses up one of those that the world has left of this kind. */
export type Fault = (kind: keyof State['left'], label: string, change: (next: State) => void) => Step<State>;

/** The commands of an operator, and the end of a pause. */
export function* operatorSteps(
  state: State,
  scripts: ReturnType<typeof createScripts>,
  go: Go,
  fault: Fault,
): Generator<Step<State>> {
  if (state.paused) {
    yield go('the pause ends', (next) => void (next.paused = false));
    yield go('an operator resumes', scripts.resume, true);
  }
  if (state.deleted) return;
  if (state.left.pauses > 0) yield fault('pauses', 'an operator pauses', scripts.pause);
  if (state.left.giveUps > 0 && holdsAnything(state))
    yield fault('giveUps', 'an operator gives up the events', scripts.requestGiveUp);
}
