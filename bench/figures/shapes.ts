import { SHAPE_LIMITS } from '@mailhook/core';
import type { Lab } from '../lab/lab.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median } from '../report/figure.ts';
import type { BurstSize } from './burst.ts';
import { measureBurst } from './burst.ts';
import type { SteadySize } from './steady.ts';
import { newPlace, runSteady, steadyRun } from './steady.ts';

type Requests = RunPlace['version2'];

const arraysOf = (maxEvents: number): Requests => ({ shape: 'array', ...SHAPE_LIMITS.array, maxEvents });

/** What destinations of the notifier get. `plain`: BullMQ, one event per job and request. */
const VARIANTS: Readonly<Record<string, Requests>> = {
  'version 1': undefined,
  'version 2': { shape: 'single', ...SHAPE_LIMITS.single },
  'arrays of 10': arraysOf(10),
  'arrays of 100': arraysOf(100),
  plain: undefined,
};

const DESTINATIONS = 20;
const BURST: BurstSize = { kind: 'transactional', events: 40_000, destinations: DESTINATIONS, perRequest: 100 };
const STEADY: SteadySize = {
  kind: 'transactional',
  perSecond: 100,
  seconds: 20,
  destinations: DESTINATIONS,
  perRequest: 1,
  graceMs: 15_000,
};
const QUICK_SHARE = 0.4;
const WARM_UP_SHARE = 0.25;

type Measure = (variant: string, parts: Parts, round: number, share: number) => Promise<Run>;

interface Parts {
  readonly lab: Lab;
  readonly place: RunPlace;
  readonly to: 'publisher' | 'plain';
  readonly pids: Readonly<Record<string, readonly number[]>>;
}

const atSaturation: Measure = (variant, { lab, place, to, pids }, round, share) => {
  const events = Math.round((BURST.events * share) / DESTINATIONS) * DESTINATIONS;
  return measureBurst(lab, to, { variant, pids }, { ...BURST, events }, round, place);
};

const atSteadyRate: Measure = async (variant, { lab, place, to, pids }, round, share) => {
  const size = { ...STEADY, seconds: STEADY.seconds * share };
  return steadyRun(variant, round, size, await runSteady(lab, { to, pids, place }, size));
};

/** Milliseconds of worker and Redis per event, the median of all rounds. */
const cost = (runs: readonly Run[], wanted: string): number =>
  median(
    runs
      .filter(({ variant }) => variant === wanted)
      .map(({ cpuPer1000: { worker = Number.NaN, redis = Number.NaN } }) => worker + redis),
  );

const bar = (runs: readonly Run[], variant: string, to: string, mustReach: number): Bar => ({
  what: `${variant}: CPU of worker and Redis per event against ${to}`,
  measured: cost(runs, variant) / cost(runs, to),
  unit: 'x',
  mustReach,
  aimFor: undefined,
  sense: 'max',
});

async function measureRounds(context: FigureContext, name: string, measure: Measure): Promise<Run[]> {
  const lab = await context.openLab();
  try {
    const worker = await lab.worker('transactional');
    const plain = lab.baseline();
    await plain.call('startPlain', { kind: 'transactional', redisUrl: lab.redisUrl });
    const runs: Run[] = [];
    const variants = Object.entries(VARIANTS);
    const whole = context.isQuick ? QUICK_SHARE : 1;
    for (let round = 0; round <= context.rounds; round += 1) {
      for (let i = 0; i < variants.length; i += 1) {
        const [variant, version2] = variants[(i + round) % variants.length] ?? ['plain', undefined];
        context.progress(`${name}: ${round === 0 ? 'warming up' : `round ${round} of ${context.rounds}`}, ${variant}`);
        const place = newPlace(lab, 'transactional');
        const parts: Parts = {
          lab,
          place: version2 === undefined ? place : { ...place, version2 },
          to: variant === 'plain' ? 'plain' : 'publisher',
          pids: { worker: [variant === 'plain' ? plain.pid : worker.pid] },
        };
        const run = await measure(variant, parts, round, whole * (round === 0 ? WARM_UP_SHARE : 1));
        if (round > 0) runs.push(run);
      }
    }
    return runs;
  } finally {
    await lab.close();
  }
}

const figure = (name: string, title: string, measure: Measure, bars: (runs: readonly Run[]) => Bar[]): Figure => ({
  name,
  title,
  async measure(context) {
    const runs = await measureRounds(context, name, measure);
    return { runs, bars: bars(runs) };
  },
});

/** The cost of each version and shape on the notifier, in turns within one lab. */
export const shapeFigures: readonly Figure[] = [
  figure('shapes', `Shapes of the notifier at saturation, ${DESTINATIONS} addresses`, atSaturation, (runs) => [
    bar(runs, 'version 2', 'version 1', 1.2),
    bar(runs, 'arrays of 10', 'version 1', 0.4),
    bar(runs, 'arrays of 100', 'version 1', 0.2),
  ]),
  figure('shapes-100', `The same at ${STEADY.perSecond} events/s, one per request`, atSteadyRate, (runs) => [
    bar(runs, 'version 2', 'version 1', 1.1),
    bar(runs, 'arrays of 100', 'version 1', 1.1),
    bar(runs, 'version 1', 'plain', 1),
  ]),
];
