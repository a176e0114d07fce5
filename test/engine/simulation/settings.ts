import type { PoolLimits } from '../../../packages/delivery/src/deliver/pool.ts';
import type { Random } from './random.ts';

/** What a run is made of, by its seed. Limits are so small that each is reached. */
export interface Settings {
  readonly workers: number;
  readonly destinations: readonly string[];
  readonly limits: PoolLimits;
  /** Whether anything fails. A run without faults may deliver nothing twice. */
  readonly hasFaults: boolean;
  /** Whether workers run out of ports. They then hold batches for long. */
  readonly hasShortages: boolean;
  /** Whether Redis's clock steps. Some waits then end only when the reconciler comes by. */
  readonly hasClockSteps: boolean;
  /** How long producers send events and faults happen. */
  readonly busyMs: number;
  readonly scheduleMs: readonly number[];
  /** The longest usual way of a command or a reply. */
  readonly delayMs: number;
}

export const ACCOUNTS = ['a', 'b'] as const;
export const accountOf = (destination: string): string => destination.slice(0, 1);

/** The longest wait of a resend, a parking and a request: what a quiet system needs to come to rest. */
export const LONGEST_MS = { resend: 1200, park: 1500, request: 1500 } as const;

export function settingsOf(random: Random): Settings {
  const slots = random.int(1, 5);
  return {
    workers: random.int(2, 3),
    destinations: Array.from({ length: random.int(2, 6) }, (_, i) => `${random.pick(ACCOUNTS)}${i}`),
    limits: {
      slots,
      ownedMax: slots + random.int(1, 4),
      inFlightCharsMax: random.pick([30, 200, 100_000]),
      sliceMs: random.int(30, 300),
      windowMax: random.int(1, 4),
      batchMax: random.int(2, 4),
      maxAgeMs: random.chance(0.2) ? random.int(2000, 6000) : 3_600_000,
    },
    hasFaults: random.chance(0.95),
    hasShortages: random.chance(0.15),
    hasClockSteps: random.chance(0.25),
    busyMs: random.chance(0.2) ? random.int(3000, 6000) : random.int(300, 3000),
    scheduleMs: random.pick([[LONGEST_MS.resend], [200, LONGEST_MS.resend], [50, 400, 400, LONGEST_MS.resend]]),
    delayMs: random.pick([1, 3, 20]),
  };
}
