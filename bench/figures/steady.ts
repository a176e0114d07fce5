import type { Mechanism } from '@mailhook/core';
import type { CpuSeconds } from '../lab/cpu.ts';
import { cpuBetween } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import { destinationsInTurn, shuffledDestinations } from '../processes/events.ts';
import type { LoadPlan } from '../processes/load.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Behaviour, Count } from '../processes/tally.ts';
import type { Run } from '../report/figure.ts';
import { percentile, runOf } from '../report/figure.ts';

/** An open-loop load at a fixed rate. Each event is followed to its receiver. */
export interface SteadySize {
  readonly kind: Mechanism;
  readonly perSecond: number;
  readonly seconds: number;
  readonly destinations: number;
  readonly perRequest: number;
  readonly behaviour?: Behaviour;
  readonly isAllClicks?: boolean;
  readonly isInTurn?: boolean;
  /** How long to wait for late events after the last one was sent. */
  readonly graceMs: number;
}

export interface Followed {
  readonly destination: number;
  /** Milliseconds after the run's start. */
  readonly sentMs: number;
  readonly acceptedMs: number | undefined;
  readonly arrivedMs: number | undefined;
}

export interface SteadyResult {
  readonly events: readonly Followed[];
  /** The run's start on the clock of `monotonicMs`. */
  readonly startedMs: number;
  readonly count: Count;
  readonly cpu: CpuSeconds;
}

export interface SteadyRun {
  readonly to: LoadPlan['to'];
  readonly pids: Readonly<Record<string, readonly number[]>>;
  readonly place: RunPlace;
  /** Runs beside the load, once the load has started. */
  readonly meanwhile?: () => Promise<void>;
}

/** Returns a place for a run without an api. If an api makes the accounts, use its `newPlace`. */
export const newPlace = (lab: Lab, kind: Mechanism, baseUrl = lab.baseUrl): RunPlace => ({
  run: lab.newRun(),
  kind,
  baseUrl,
});

export async function runSteady(
  lab: Lab,
  { to, pids, place, meanwhile }: SteadyRun,
  size: SteadySize,
): Promise<SteadyResult> {
  const { perSecond, seconds, destinations, perRequest, behaviour = {} } = size;
  const { isAllClicks = false, isInTurn = false } = size;
  const events = Math.round(perSecond * seconds);
  await lab.load.call('prepare', { ...place, to, events, destinations, perRequest, isAllClicks, isInTurn });
  const { run, kind } = place;
  await lab.receivers.call('begin', { run, kind, events, behaviour });
  const order = (isInTurn ? destinationsInTurn : shuffledDestinations)(events, destinations);
  const healthy = order.filter((destination) => destination >= (behaviour.hanging ?? 0)).length;
  const before = await lab.cpu(pids);
  const [published] = await Promise.all([lab.load.call('steady', { perSecond, events }), meanwhile?.()]);
  const count = await lab.receivers.call('until', { run, distinct: healthy, withinMs: size.graceMs });
  const cpu = cpuBetween(before, await lab.cpu(pids));
  const arrivals = await lab.receivers.call('arrivals', { run });
  const { startedMs, sentMs, acceptedMs } = published;
  const after = (times: Float64Array | undefined, seq: number): number | undefined => {
    const at = times?.[seq] ?? 0;
    return at === 0 ? undefined : at - startedMs;
  };
  const followed = Array.from(order, (destination, seq) => ({
    destination,
    sentMs: after(sentMs, seq) ?? 0,
    acceptedMs: after(acceptedMs, seq),
    arrivedMs: after(arrivals, seq),
  }));
  if (count === undefined) throw new Error('the receivers know nothing of the run');
  return { events: followed, startedMs, count, cpu };
}

/** Milliseconds from sending to arrival, for the events that arrived. */
export const latencies = (events: readonly Followed[]): number[] =>
  events.flatMap(({ sentMs, arrivedMs }) => (arrivedMs === undefined ? [] : [arrivedMs - sentMs]));

/** The run of a result, with its times. @throws Error if an event did not arrive. */
export function steadyRun(variant: string, round: number, { seconds }: SteadySize, result: SteadyResult): Run {
  const arrived = latencies(result.events);
  const events = result.events.length;
  if (arrived.length < events)
    throw new Error(`${variant}: ${events - arrived.length} of ${events} events did not arrive`);
  const fromAccepted = result.events.map(({ acceptedMs = 0, arrivedMs = 0 }) => arrivedMs - acceptedMs);
  return runOf({ variant, round, events, seconds }, result.cpu, {
    p50Ms: percentile(arrived, 0.5),
    p99Ms: percentile(arrived, 0.99),
    maxMs: Math.max(...arrived),
    fromAcceptedP50Ms: percentile(fromAccepted, 0.5),
    fromAcceptedP99Ms: percentile(fromAccepted, 0.99),
  });
}
