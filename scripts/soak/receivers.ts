import type { Treat } from '../../test/faults/rig/counting-receiver.ts';
import type { Customer } from '../../test/faults/rig/load.ts';
import type { Random } from '../../test/faults/rig/random.ts';

/** How receivers misbehave, and the share of the load of each. The customers after these are healthy. */
const SICK = [
  { how: 'hangs', share: 0.2 },
  { how: 'floods', share: 0.5 },
  { how: 'acknowledges in part', share: 1 },
  { how: 'refuses some events always', share: 1 },
] as const;

export const CUSTOMERS = 12;
const FLOOD_BYTES = 2_000_000;

export const withShares = (customers: readonly Customer[]): Customer[] =>
  customers.map((customer, i) => ({ ...customer, share: SICK[i]?.share ?? 1 }));

/** Returns true if the event with this key in the ledger goes to a healthy receiver. */
export const isForHealthy = (key: string): boolean => Number(/(?:@c|^\/t)(\d+)[. ]/.exec(key)?.[1]) >= SICK.length;

/**
 * Makes replies that depend only on the seed and the request. Once `isHealed` returns true, no event is refused every
 * time.
 */
export function misbehave(random: Random, isHealed: () => boolean): Treat {
  return (path, { firstKey, attempt }) => {
    const own = random.about(`${path} ${firstKey} ${attempt}`);
    const [delayMs, chance] = [own.between(5, 50), own.next()];
    switch (SICK[Number(path.slice(2))]?.how) {
      case 'hangs':
        return { delayMs, hangs: chance < 0.3 };
      case 'floods':
        return chance < 0.3 ? { delayMs, status: 500, bodyBytes: FLOOD_BYTES } : { delayMs };
      case 'acknowledges in part':
        return { delayMs, leavesOut: (key) => attempt === 1 && random.about(key).next() < 0.1 };
      case 'refuses some events always':
        return isAlwaysRefused(random, firstKey) && !isHealed() ? { delayMs, status: 500 } : { delayMs };
      case undefined:
        return chance < 0.02 ? { delayMs, status: 500 } : { delayMs };
    }
  };
}

const isAlwaysRefused = (random: Random, key: string): boolean => random.about(`${key} always`).next() < 0.03;
