/** A model checker: explores every order of steps in a small world, breadth first. */

/** A step that a state allows. */
export interface Step<State> {
  readonly label: string;
  /**
   * Whether the step is a fault or a decision of the outside world. It may happen, but the protocol must not depend on
   * it.
   */
  readonly mayHappen: boolean;
  readonly next: State;
}

export interface Protocol<State> {
  readonly initial: State;
  readonly steps: (state: State) => Iterable<Step<State>>;
  /** A key that is equal only for states that behave the same. */
  readonly encode: (state: State) => string;
  /** Describes a violated invariant as a sentence. Returns undefined if the state is valid. */
  readonly violation: (state: State) => string | undefined;
  /** Whether all work is finished and no event is missing. */
  readonly isRest: (state: State) => boolean;
  /** Describes, for the message, what is wrong with a state that never comes to rest. */
  readonly diagnose: (state: State) => string;
}

export interface Exploration {
  readonly states: number;
  /** The first violation and the shortest path to it, or undefined if no state has one. */
  readonly violation: { readonly what: string; readonly path: readonly string[] } | undefined;
}

/** A growing list of edges, as pairs of state numbers. */
function createEdges() {
  let pairs = new Int32Array(1 << 16);
  let used = 0;
  return {
    add(from: number, to: number): void {
      if (used === pairs.length) {
        const larger = new Int32Array(pairs.length * 2);
        larger.set(pairs);
        pairs = larger;
      }
      pairs[used] = from;
      pairs[used + 1] = to;
      used += 2;
    },
    list: (): Int32Array => pairs.subarray(0, used),
  };
}

/** Marks the states from which a rest can be reached without the outside world. Walks the edges backward. */
function canReach(rests: readonly number[], states: number, edges: Int32Array): Uint8Array {
  const starts = new Int32Array(states + 1);
  for (let i = 1; i < edges.length; i += 2) starts[edges[i]! + 1]! += 1;
  for (let i = 0; i < states; i += 1) starts[i + 1]! += starts[i]!;
  const sources = new Int32Array(edges.length / 2);
  const fill = starts.slice();
  for (let i = 0; i < edges.length; i += 2) {
    const to = edges[i + 1]!;
    sources[fill[to]!] = edges[i]!;
    fill[to]! += 1;
  }
  const reaches = new Uint8Array(states);
  const stack = [...rests];
  for (const rest of rests) reaches[rest] = 1;
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (let i = starts[state]!; i < starts[state + 1]!; i += 1) {
      const source = sources[i]!;
      if (reaches[source] === 1) continue;
      reaches[source] = 1;
      stack.push(source);
    }
  }
  return reaches;
}

/**
 * Visits every state. Reports the first state (on a shortest path) that violates an invariant. If no state does,
 * reports the first one from which the world can no longer come to rest by its own steps, because an event is lost or
 * stuck, or because the steps run in a circle.
 */
export function explore<State>(protocol: Protocol<State>): Exploration {
  const numbers = new Map<string, number>([[protocol.encode(protocol.initial), 0]]);
  const parents: number[] = [-1];
  const labels: string[] = ['start'];
  const rests: number[] = [];
  const edges = createEdges();
  const pathTo = (state: number): string[] => {
    const path: string[] = [];
    for (let at = state; at > 0; at = parents[at]!) path.unshift(labels[at]!);
    return path;
  };

  let frontier: State[] = [protocol.initial];
  let expanded = 0;
  while (frontier.length > 0) {
    const later: State[] = [];
    for (const state of frontier) {
      const what = protocol.violation(state);
      if (what !== undefined) return { states: numbers.size, violation: { what, path: pathTo(expanded) } };
      if (protocol.isRest(state)) rests.push(expanded);
      for (const { label, mayHappen, next } of protocol.steps(state)) {
        const key = protocol.encode(next);
        let number = numbers.get(key);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(key, number);
          parents.push(expanded);
          labels.push(label);
          later.push(next);
        }
        if (!mayHappen) edges.add(expanded, number);
      }
      expanded += 1;
    }
    frontier = later;
  }

  const stuck = canReach(rests, numbers.size, edges.list()).indexOf(0);
  if (stuck === -1) return { states: numbers.size, violation: undefined };
  const path = pathTo(stuck);
  return { states: numbers.size, violation: { what: diagnoseEnd(protocol, path), path } };
}

/**
 * Follows a path again, then goes on until no step changes the state. So it diagnoses the end, not the moment when the
 * end became unavoidable.
 */
function diagnoseEnd<State>(protocol: Protocol<State>, path: readonly string[]): string {
  let state = protocol.initial;
  for (const label of path) {
    const step = [...protocol.steps(state)].find((candidate) => candidate.label === label);
    if (step === undefined) throw new Error(`no step ${label}`);
    state = step.next;
  }
  const seen = new Set([protocol.encode(state)]);
  const queue = [state];
  for (const current of queue) {
    const own = [...protocol.steps(current)].filter((step) => !step.mayHappen);
    if (own.every((step) => protocol.encode(step.next) === protocol.encode(current))) return protocol.diagnose(current);
    for (const { next } of own) {
      const key = protocol.encode(next);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push(next);
    }
  }
  return `never comes to rest: ${protocol.diagnose(state)}`;
}
