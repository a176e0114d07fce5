import { hash32 } from '@mailhook/core';

/** Repeatable random choices: the same seed makes the same choices. */
export interface Random {
  readonly seed: number;
  /**
   * Makes choices about one thing, such as a request. They depend only on the seed and the name, not on the number of
   * earlier choices. So a run repeats its choices even if its processes run at another pace.
   */
  about(name: string): Random;
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32, which is small and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    seed,
    about: (name) => createRandom(hash32(`${seed} ${name}`)),
    next,
    between,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(between(0, left.length - 1), 1)[0] as (typeof left)[number]);
    },
  };
}

/** Returns the seed of this run, which `npm test -- --seed` sets. */
export const runSeed = (): number => Number(process.env['TEST_SEED'] ?? 1);
