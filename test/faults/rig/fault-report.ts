import type { Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import type { MongoReplicaSet } from './mongo-replica-set.ts';
import type { Random } from './random.ts';
import type { Stack } from './stack.ts';

/** The effects of a fault, as seen from outside. */
export interface FaultReport<Name extends string = string> {
  readonly fault: Name;
  /** Processes that got SIGKILL. */
  readonly kills: number;
  /** Batches in flight at that moment (workers, Redis), or requests without a reply (api). */
  readonly inFlight: number;
  /** Events in flight at that moment, by destination id. Only these may arrive twice because of this fault. */
  readonly eventsOf: ReadonlyMap<string, number>;
  /** Events that got a 202 while Redis was paused. Undefined for other faults. */
  readonly acceptedDuring?: number;
  /** In `performance.now()`. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A report without its name and times. */
export type FaultMeeting = Omit<FaultReport, 'fault' | 'fromMs' | 'untilMs'>;

export interface FaultDeps {
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly load: Load;
  readonly random: Random;
  /** Takes a restart that continues during later faults. It rejects if the process does not come back. */
  readonly onRestart: (restart: Promise<unknown>) => void;
  /** The api's MongoDB, if it uses one. */
  readonly mongo?: Pick<MongoReplicaSet, 'stepDown'>;
}

export const PATIENCE_MS = 30_000;
export const WORKER_NAMES = ['transactional-notifier', 'campaign-batcher'] as const;

/** Adds up several readings, by destination. */
export function addedUp(readings: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [destination, events] of readings.flatMap((one) => [...one]))
    sums.set(destination, (sums.get(destination) ?? 0) + events);
  return sums;
}

/** Reads all batches and events that workers have in flight. */
export async function allInFlight({ stack }: Pick<FaultDeps, 'stack'>): Promise<{
  readonly inFlight: number;
  readonly eventsOf: ReadonlyMap<string, number>;
}> {
  const readings = await Promise.all(
    WORKER_NAMES.map(async (name) => {
      const state = stack.state[name];
      return Promise.all((await state.workers()).map((id) => state.inFlight(id)));
    }),
  );
  return {
    inFlight: readings.flat().reduce((sum, { batches }) => sum + batches, 0),
    eventsOf: addedUp(readings.flat().map(({ eventsOf }) => eventsOf)),
  };
}
