import { setTimeout as wait } from 'node:timers/promises';
import type { Stack } from './stack.ts';

/**
 * Checks continuously whether the replica has everything. `stop` resolves with the last time at which it had, in
 * `performance.now()`.
 */
export function markReplicated(stack: Pick<Stack, 'untilReplicated'>): { stop(): Promise<number> } {
  let lastMs = performance.now();
  const over = new AbortController();
  const marking = (async () => {
    while (!over.signal.aborted) {
      const askedAtMs = performance.now();
      await stack.untilReplicated();
      lastMs = askedAtMs;
      await wait(10);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await marking;
      return lastMs;
    },
  };
}
