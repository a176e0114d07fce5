import type { Mechanism } from '@mailhook/core';
import { cpuBetween } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { RunPlace } from '../processes/places.ts';
import type { LoadPlan } from '../processes/load.ts';
import type { RawClient } from '../processes/clients.ts';
import type { Behaviour } from '../processes/tally.ts';
import { monotonicMs } from '../processes/clock.ts';
import { newPlace } from './steady.ts';
import type { Run } from '../report/figure.ts';
import { runOf } from '../report/figure.ts';

/**
 * A burst publishes as fast as events are accepted. The time runs from the first publish to the arrival of the last
 * event.
 */
export interface BurstSize {
  readonly kind: Mechanism;
  readonly events: number;
  readonly destinations: number;
  /** Events per published request. */
  readonly perRequest: number;
  readonly requestsInFlight?: number;
  readonly isAllClicks?: boolean;
  readonly behaviour?: Behaviour | undefined;
  /** Belongs to the run, and is in no time of it. */
  readonly afterwards?: () => Promise<void>;
}

/** The processes that count as the worker's CPU, and the variant's name. */
interface Contender {
  readonly variant: string;
  readonly pids: Readonly<Record<string, readonly number[]>>;
}

/**
 * Enough requests to keep an api busy. With fewer, the processes wait for each other in turn, and the machine is idle.
 */
const REQUESTS_IN_FLIGHT = 32;
/** Growth to 300,000 destinations takes minutes. */
const WITHIN_MS = 600_000;
/** Settles after the last arrival still belong to the run. */
const SETTLE_MS = 150;

/** @param given a place with accounts made by an api; default: a new place. */
export async function measureBurst(
  lab: Lab,
  to: LoadPlan['to'],
  by: Contender,
  size: BurstSize,
  round: number,
  given?: RunPlace,
): Promise<Run> {
  const { kind, events, destinations, perRequest, isAllClicks = false } = size;
  const place = given ?? newPlace(lab, kind);
  await lab.load.call('prepare', { ...place, to, events, destinations, perRequest, isAllClicks });
  return timed(lab, place, by, size, round, async () => {
    const { startedMs, refused = 0 } = await lab.load.call('burst', {
      requestsInFlight: size.requestsInFlight ?? REQUESTS_IN_FLIGHT,
    });
    return { startedMs, refused };
  });
}

export interface RawSize extends BurstSize {
  /** Events per body. */
  readonly perBody: number;
  readonly inFlight: number;
  /**
   * The client that posts: the product's, the product's through axios (as for batches, on the same connections), or
   * undici alone.
   */
  readonly client: RawClient;
}

export async function measureRaw(lab: Lab, by: Contender, size: RawSize, round: number): Promise<Run> {
  const place = newPlace(lab, size.kind);
  const child = rawOf(lab);
  const { events, destinations, perBody, inFlight, client } = size;
  await child.call('prepareRaw', { ...place, events, destinations, perRequest: perBody, inFlight, client });
  return timed(lab, place, { ...by, pids: { worker: [child.pid] } }, size, round, async () => {
    const startedMs = monotonicMs();
    await child.call('runRaw');
    return { startedMs, refused: 0 };
  });
}

const raws = new WeakMap<Lab, ReturnType<Lab['baseline']>>();

function rawOf(lab: Lab): ReturnType<Lab['baseline']> {
  const child = raws.get(lab) ?? lab.baseline();
  raws.set(lab, child);
  return child;
}

async function timed(
  lab: Lab,
  { run, kind }: RunPlace,
  { variant, pids }: Contender,
  { events, behaviour = {}, afterwards }: BurstSize,
  round: number,
  go: () => Promise<{ startedMs: number; refused: number }>,
): Promise<Run> {
  await lab.receivers.call('begin', { run, kind, events, behaviour });
  const before = await lab.cpu(pids);
  const until = lab.receivers.call('until', { run, distinct: events, withinMs: WITHIN_MS });
  const [{ startedMs, refused }, count] = await Promise.all([go(), until]);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await afterwards?.();
  const used = cpuBetween(before, await lab.cpu(pids));
  if (count === undefined || count.distinct < events)
    throw new Error(`${variant}: ${count?.distinct ?? 0} of ${events} events arrived within ${WITHIN_MS / 1000} s`);
  const seconds = (count.lastMs - startedMs) / 1000;
  return runOf({ variant, round, events, seconds }, used, {
    requests: count.requests,
    eventsPerRequest: events / count.requests,
    doubled: count.doubled,
    refused,
    openMax: count.openMax,
  });
}
