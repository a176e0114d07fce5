import type { Figure } from '../report/figure.ts';
import { cpuRatio, medianCpu, medianRate, medianRatio, valueOfRounds } from '../report/figure.ts';
import type { Bar, Run } from '../report/figure.ts';
import { throughputFigure } from './measure-throughput.ts';

const ratio = (runs: readonly Run[], to: 'raw' | 'plain', mustReach: number, aimFor?: number): Bar => ({
  what: `events/s against ${to}`,
  measured: medianRatio(runs, 'product', to),
  byCpu: cpuRatio(runs, 'product', to),
  unit: 'x',
  mustReach,
  aimFor,
  sense: 'min',
});

/** The CPU of a role per event, against another variant's. */
const cpuOf = (runs: readonly Run[], role: string, to: 'raw' | 'plain', mustReach: number, aimFor: number): Bar => ({
  what: `${role} CPU per event against ${to}'s`,
  measured: medianCpu(runs, 'product', role) / medianCpu(runs, to, role),
  unit: 'x',
  mustReach,
  aimFor,
  sense: 'max',
});

/** The figures in events per second. */
export const throughputFigures: readonly Figure[] = [
  throughputFigure({
    name: 'campaign-20',
    title: 'Campaign, 20 URLs, one worker process',
    kind: 'campaign',
    destinations: 20,
    events: { product: 1_000_000, plain: 100_000, raw: 1_000_000 },
    quickShare: 0.4,
    perBody: 1000,
    rawInFlight: 20,
    bars: (runs) => [
      ratio(runs, 'raw', 0.3, 0.6),
      {
        what: 'events/s against raw, by CPU',
        measured: cpuRatio(runs, 'product', 'raw'),
        unit: 'x',
        mustReach: 0.24,
        aimFor: 0.3,
        sense: 'min',
      },
      ratio(runs, 'plain', 8),
    ],
  }),
  throughputFigure({
    name: 'campaign-2000',
    title: 'Campaign, 2,000 URLs, 100 events each, shuffled',
    kind: 'campaign',
    destinations: 2000,
    events: { product: 200_000, plain: 40_000, raw: 200_000 },
    quickShare: 1,
    perBody: 100,
    rawInFlight: 64,
    bars: (runs) => [ratio(runs, 'plain', 10, 15)],
  }),
  throughputFigure({
    name: 'campaign-slow',
    title: 'Campaign, one URL whose receiver takes 100 ms',
    kind: 'campaign',
    destinations: 1,
    events: { product: 200_000, plain: 40_000, raw: 200_000 },
    quickShare: 0.5,
    perBody: 1000,
    rawInFlight: 4,
    behaviour: { delayMs: 100 },
    bars: (runs) => [
      {
        what: 'events/s',
        measured: medianRate(runs, 'product'),
        unit: '/s',
        mustReach: 30_000,
        aimFor: undefined,
        sense: 'min',
      },
      {
        what: 'requests in flight',
        measured: valueOfRounds(runs, 'product', 'openMax'),
        unit: '',
        mustReach: 4,
        aimFor: undefined,
        sense: 'max',
      },
    ],
  }),
  throughputFigure({
    name: 'transactional-20',
    title: 'Transactional, 20 addresses',
    withAxios: true,
    kind: 'transactional',
    destinations: 20,
    events: { product: 60_000, plain: 30_000, raw: 60_000 },
    quickShare: 0.5,
    perBody: 1,
    rawInFlight: 64,
    bars: (runs) => [ratio(runs, 'raw', 0.8, 0.95), cpuOf(runs, 'worker', 'raw', 1.4, 1.2), ratio(runs, 'plain', 1.6)],
  }),
  throughputFigure({
    name: 'transactional-2000',
    title: 'Transactional, 2,000 addresses',
    kind: 'transactional',
    destinations: 2000,
    events: { product: 40_000, plain: 30_000, raw: 40_000 },
    quickShare: 0.5,
    perBody: 1,
    rawInFlight: 64,
    bars: (runs) => [ratio(runs, 'plain', 1.3, 2)],
  }),
  throughputFigure({
    name: 'transactional-all',
    title: 'Transactional, every notification to another address',
    kind: 'transactional',
    destinations: 'one an event',
    events: { product: 40_000, plain: 30_000, raw: 40_000 },
    quickShare: 0.5,
    perBody: 1,
    rawInFlight: 64,
    bars: (runs) => [
      ratio(runs, 'plain', 1.6, 2),
      cpuOf(runs, 'redis', 'plain', 0.5, 0.35),
      cpuOf(runs, 'worker', 'plain', 0.7, 0.5),
    ],
  }),
];
