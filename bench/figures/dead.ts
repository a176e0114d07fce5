import { processCpuSeconds, redisCpuSeconds } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds, percentile } from '../report/figure.ts';
import { fill, settledBytes } from './backlog.ts';
import type { RunPlace } from '../processes/places.ts';
import { newPlace } from './steady.ts';

const PARTS = 4;
/** A short parking, so that the recovery comes soon. Nothing else depends on it. */
const PARK_MAX_MS = 10_000;
const IDLE_MS = 10_000;
const RECOVERED_WITHIN_MS = 180_000;

/** Measures the cost of a large backlog for a dead receiver, and how it drains when the receiver is back. */
export const dead: Figure = {
  name: 'dead',
  title: '1 M events to a dead receiver (quick: 100,000)',
  async measure(context) {
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      context.progress(`dead: round ${round} of ${context.rounds}`);
      runs.push(await measureOnce(context, round));
    }
    return {
      runs,
      bars: bars(runs),
      notes: [`BREAKER_PARK_MAX is ${PARK_MAX_MS / 1000} s here, so that the recovery comes soon`],
    };
  },
};

async function measureOnce(context: FigureContext, round: number): Promise<Run> {
  const lab = await context.openLab();
  try {
    const events = context.isQuick ? 100_000 : 1_000_000;
    const place = newPlace(lab, 'campaign');
    const worker = await lab.worker('campaign', { BREAKER_PARK_MAX: `${PARK_MAX_MS}ms` });
    await lab.receivers.call('begin', { ...place, events, behaviour: { status: 503 } });
    const growth = await fillInParts(lab, place, events);
    const idle = await whileParked(lab, place.run, worker.pid);
    const recovery = await recover(lab, place.run, events);
    const [first = 0, ...rest] = growth;
    return {
      variant: 'product',
      round,
      events,
      seconds: recovery.recoverySeconds,
      perSecond: recovery.drainedPerSecond,
      cpuPer1000: {},
      values: {
        bytesPerEvent: first,
        growthRatio: Math.max(...growth) / Math.min(first, ...rest),
        ...idle,
        ...recovery,
      },
    };
  } finally {
    await lab.close();
  }
}

/** Bytes per event of each part. They are equal if memory grows in proportion to the events. */
async function fillInParts(lab: Lab, place: RunPlace, events: number): Promise<number[]> {
  const perPart = events / PARTS;
  const growth: number[] = [];
  let before = await settledBytes(lab);
  for (let part = 0; part < PARTS; part += 1) {
    await fill(lab, {
      ...place,
      to: 'publisher',
      events: perPart,
      destinations: 1,
      perRequest: 1000,
      firstSeq: part * perPart,
    });
    const after = await settledBytes(lab);
    growth.push((after - before) / perPart);
    before = after;
  }
  return growth;
}

async function whileParked(lab: Lab, run: string, pid: number) {
  const read = async () => ({
    worker: await processCpuSeconds(pid),
    redis: await redisCpuSeconds(lab.redis),
    requests: (await lab.receivers.call('count', { run }))?.requests ?? 0,
  });
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const after = await read();
  const share = (role: 'worker' | 'redis'): number => (100 * (after[role] - before[role])) / (IDLE_MS / 1000);
  return {
    workerCpuPercent: share('worker'),
    redisCpuPercent: share('redis'),
    requestsWhileParked: after.requests - before.requests,
  };
}

async function recover(lab: Lab, run: string, events: number) {
  const before = await lab.receivers.call('count', { run });
  await lab.receivers.call('behave', { run, behaviour: { delayMs: 20 } });
  const startedMs = performance.now();
  const first = await lab.receivers.call('until', { run, distinct: 1, withinMs: RECOVERED_WITHIN_MS });
  const firstMs = performance.now();
  const count = await lab.receivers.call('until', { run, distinct: events, withinMs: RECOVERED_WITHIN_MS });
  const arrived = count?.distinct ?? 0;
  if (arrived < events) throw new Error(`${arrived} of ${events} events arrived after the recovery`);
  return {
    firstAfterMs: firstMs - startedMs,
    drainedPerSecond: await drainRate(lab, run),
    recoverySeconds: (performance.now() - firstMs) / 1000,
    openMax: count?.openMax ?? 0,
    requestsUntilFirst: (first?.requests ?? 0) - (before?.requests ?? 0),
    doubled: count?.doubled ?? 0,
  };
}

/**
 * Events per second between the 10th and 90th percentile of the arrivals. This leaves out the parking before and the
 * last resends after.
 */
async function drainRate(lab: Lab, run: string): Promise<number> {
  const arrivals = [...((await lab.receivers.call('arrivals', { run })) ?? [])];
  return (arrivals.length * 0.8) / ((percentile(arrivals, 0.9) - percentile(arrivals, 0.1)) / 1000);
}

function bars(runs: readonly Run[]): Bar[] {
  const bar = (name: string, what: string, unit: string, mustReach: number): Bar => ({
    what,
    measured: valueOfRounds(runs, 'product', name),
    unit,
    mustReach,
    aimFor: undefined,
    sense: 'max',
  });
  return [
    bar('growthRatio', 'bytes an event, dearest quarter against cheapest', 'x', 1.2),
    bar('workerCpuPercent', "worker's CPU while parked", '% of a core', 5),
    bar('openMax', 'requests in flight while it recovers', '', 4),
  ];
}
