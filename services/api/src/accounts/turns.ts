import { Mutex } from 'async-mutex';

/** Runs the tasks of one key one after the other. */
export function createTurns() {
  const turns = new Map<string, Mutex>();
  return async <Result>(key: string, task: () => Promise<Result>): Promise<Result> => {
    const turn = turns.get(key) ?? new Mutex();
    turns.set(key, turn);
    try {
      return await turn.runExclusive(task);
    } finally {
      if (!turn.isLocked()) turns.delete(key);
    }
  };
}
