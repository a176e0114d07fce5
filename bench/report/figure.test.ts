import type { Run } from './figure.ts';
import { cpuRate, median, medianRatio, percentile, valueOfRounds } from './figure.ts';
import { runsRows } from './table.ts';

const run = (more: Partial<Run>): Run => ({
  variant: 'product',
  round: 1,
  events: 1000,
  seconds: 1,
  perSecond: 1000,
  cpuPer1000: {},
  values: {},
  ...more,
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[], Number.NaN],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('a percentile is one of the values, by nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect([0, 0.5, 0.99, 1].map((p) => percentile(values, p))).toEqual([1, 50, 99, 100]);
});

describe('a value over all rounds', () => {
  const rounds = (name: string, values: readonly number[]): Run[] => [
    ...values.map((value, i) => run({ round: i + 1, values: { [name]: value } })),
    run({ variant: 'plain', values: { [name]: 1_000_000 } }),
  ];
  test.each([
    ['lost', [0, 7, 0], 7],
    ['openMax', [4, 4, 5], 5],
    ['doubled', [0, 0, 3], 3],
    ['refused', [1, 0, 0], 1],
    ['healthyDeliveredPercent', [100, 99, 100], 99],
    ['steadyDeliveredPercent', [100, 100, 98], 98],
  ])('is the worst round for %s, in bars and in the table', (name, values, worst) => {
    expect(valueOfRounds(rounds(name, values), 'product', name)).toBe(worst);
    expect(runsRows({ runs: rounds(name, values) })[1]).toEqual(['product', '1,000', String(worst)]);
  });
  test('is the median for the rest', () => {
    expect(valueOfRounds(rounds('p99Ms', [5, 9, 6]), 'product', 'p99Ms')).toBe(6);
  });
  test.each(['lost', 'healthyDeliveredPercent', 'p99Ms'])('%s without rounds reaches no bar', (name) => {
    expect(valueOfRounds([], 'product', name)).toBeNaN();
  });
});

test('ratios are taken within a round, and rounds without a partner are left out', () => {
  const rates = (variant: string, perSecond: readonly number[]): Run[] =>
    perSecond.map((rate, i) => run({ variant, round: i + 1, perSecond: rate }));
  // Both variants were slow in round 2.
  const runs = [...rates('product', [1000, 10, 1200, 7]), ...rates('plain', [100, 1, 100])];
  expect(medianRatio(runs, 'product', 'plain')).toBe(10);
});

test('the busiest process, or all processes together, limit the rate', () => {
  expect(cpuRate(run({ cpuPer1000: { worker: 0.1, redis: 0.02 } }), 2)).toBeCloseTo(10_000);
  expect(cpuRate(run({ cpuPer1000: { worker: 0.1, redis: 0.1, load: 0.1 } }), 2)).toBeCloseTo(6667, 0);
});
