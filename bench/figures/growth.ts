import type { Mechanism } from '@mailhook/core';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cpuBetween } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import { ROOT } from '../lab/paths.ts';
import { monotonicMs } from '../processes/clock.ts';
import { plot } from '../report/plot.ts';
import type { Series } from '../report/plot.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median, runOf } from '../report/figure.ts';
import { measureBurst } from './burst.ts';
import { newPlace } from './steady.ts';

const DESTINATIONS = [20, 2000, 20_000, 100_000, 300_000];
const QUICK_DESTINATIONS_MAX = 2000;
const WAITING = [10_000, 100_000, 1_000_000];
const EVENTS: Readonly<Record<Mechanism, number>> = { campaign: 200_000, transactional: 20_000 };
/**
 * The least events per destination, so that the figure shows the cost of more destinations and not of smaller batches.
 */
const EVENTS_EACH: Readonly<Record<Mechanism, number>> = { campaign: 100, transactional: 10 };
/** More would take longer than a quarter of an hour. From there on, batches are smaller: about one event each. */
const EVENTS_MAX: Readonly<Record<Mechanism, number>> = { campaign: 2_000_000, transactional: 300_000 };
const PER_REQUEST: Readonly<Record<Mechanism, number>> = { campaign: 1000, transactional: 100 };
const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];
const WITHIN_MS = 180_000;
const WAITING_GROWTH = 'campaign, by waiting events';
const PLOT_FILE = 'docs/performance-growth.svg';

/**
 * Shows whether the cost of an event stays flat while destinations and waiting events grow. Writes a plot. Runs only
 * when named.
 */
export const growth: Figure = {
  name: 'growth',
  title: 'CPU per event of worker and Redis, by destinations and by waiting events',
  isOnDemand: true,
  async measure(context) {
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const kind of KINDS) runs.push(...(await measureKind(context, kind, round)));
    }
    const series = seriesOf(runs);
    if (!context.isQuick)
      await writeFile(path.join(ROOT, PLOT_FILE), plot('CPU of worker and Redis per event', 'µs an event', series));
    return {
      runs,
      bars: barsOf(series),
      notes: [
        `${EVENTS.campaign} campaign events and ${EVENTS.transactional} notifications, or ` +
          `${EVENTS_EACH.campaign} and ${EVENTS_EACH.transactional} a destination where that is more, at most ` +
          `${EVENTS_MAX.campaign} and ${EVENTS_MAX.transactional}; plot: ${PLOT_FILE}`,
      ],
    };
  },
};

async function measureKind(context: FigureContext, kind: Mechanism, round: number): Promise<Run[]> {
  const lab = await context.openLab();
  try {
    const { pid } = await lab.worker(kind);
    const burst = (destinations: number, variant: string): Promise<Run> => {
      const wanted = Math.min(destinations * EVENTS_EACH[kind], EVENTS_MAX[kind]);
      const events = Math.max(context.isQuick ? EVENTS[kind] / 10 : EVENTS[kind], wanted);
      const size = { kind, events, destinations, perRequest: PER_REQUEST[kind] };
      const place = newPlace(lab, kind);
      return measureBurst(lab, 'publisher', { variant, pids: { worker: [pid] } }, size, round, place);
    };
    await burst(20, 'warm-up');
    const runs: Run[] = [];
    for (const destinations of DESTINATIONS.filter((one) => !context.isQuick || one <= QUICK_DESTINATIONS_MAX)) {
      context.progress(`growth: round ${round} of ${context.rounds}, ${kind}, ${destinations} destinations`);
      const run = await burst(destinations, `${kind}, ${destinations} destinations`);
      runs.push({ ...run, values: { destinations, cpuUsPerEvent: cpuUs(run) } });
    }
    for (const waiting of kind === 'campaign' && !context.isQuick ? WAITING : []) {
      context.progress(`growth: round ${round} of ${context.rounds}, ${waiting} waiting`);
      runs.push(await drainBacklog(lab, pid, waiting, round));
    }
    return runs;
  } finally {
    await lab.close();
  }
}

/** Events pile up while the worker is stopped (SIGSTOP), and drain when it continues. */
async function drainBacklog(lab: Lab, pid: number, waiting: number, round: number): Promise<Run> {
  const place = newPlace(lab, 'campaign');
  await lab.load.call('prepare', { ...place, to: 'publisher', events: waiting, destinations: 20, perRequest: 1000 });
  await lab.receivers.call('begin', { ...place, events: waiting });
  const pids = { worker: [pid] };
  process.kill(pid, 'SIGSTOP');
  await lab.load.call('burst', { requestsInFlight: 4 });
  const before = await lab.cpu(pids);
  process.kill(pid, 'SIGCONT');
  const startedMs = monotonicMs();
  const count = await lab.receivers.call('until', { run: place.run, distinct: waiting, withinMs: WITHIN_MS });
  const used = cpuBetween(before, await lab.cpu(pids));
  if (count === undefined || count.distinct < waiting)
    throw new Error(`${count?.distinct ?? 0} of ${waiting} events arrived`);
  const seconds = (count.lastMs - startedMs) / 1000;
  const variant = `campaign, ${waiting} waiting`;
  const run = runOf({ variant, round, events: waiting, seconds }, used, {});
  return { ...run, values: { waiting, cpuUsPerEvent: cpuUs(run) } };
}

/** Seconds per 1,000 events equal milliseconds per event. */
const cpuUs = ({ cpuPer1000 }: Pick<Run, 'cpuPer1000'>): number =>
  ((cpuPer1000['worker'] ?? 0) + (cpuPer1000['redis'] ?? 0)) * 1000;

function seriesOf(runs: readonly Run[]): Series[] {
  const pointsOf = (prefix: string, x: string) => {
    const some = runs.filter(({ variant, values }) => variant.startsWith(prefix) && values[x] !== undefined);
    const xs = [...new Set(some.map(({ values }) => values[x] ?? 0))];
    const y = (at: number): number =>
      median(some.flatMap(({ values }) => (values[x] === at ? [values['cpuUsPerEvent'] ?? 0] : [])));
    return xs.map((at) => [at, y(at)] as const);
  };
  return [
    { name: 'campaign, by destinations', points: pointsOf('campaign', 'destinations') },
    { name: 'transactional, by destinations', points: pointsOf('transactional', 'destinations') },
    { name: WAITING_GROWTH, points: pointsOf('campaign', 'waiting') },
  ];
}

/** Compares points of each line with its cheapest. */
const barsOf = (series: readonly Series[]): Bar[] =>
  series.flatMap(({ name, points }) => {
    const least = Math.min(...points.map(([, y]) => y));
    const bar = (upTo: number, mustReach: number, aimFor: number): Bar[] => {
      const costs = points.flatMap(([x, y]) => (x <= upTo ? [y / least] : []));
      const what = `${name}: the most expensive up to ${upTo.toLocaleString('en')} against the cheapest`;
      return costs.length === 0
        ? []
        : [{ what, measured: Math.max(...costs), unit: 'x', mustReach, aimFor, sense: 'max' }];
    };
    return name === WAITING_GROWTH ? bar(1_000_000, 2, 1.2) : [...bar(20_000, 2, 1.2), ...bar(300_000, 3, 2)];
  });
