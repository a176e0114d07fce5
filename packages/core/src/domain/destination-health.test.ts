import type { RecentDeliveries } from './delivery-counts.ts';
import type { HealthFacts } from './destination-health.ts';
import { degradationOf, destinationHealthOf, recoveredAtMs } from './destination-health.ts';
import { NO_DELIVERIES } from './delivery-counts.ts';

const recent = (more: Partial<RecentDeliveries> = {}): RecentDeliveries => ({
  confirmed: 0,
  unconfirmed: 0,
  delivered: 0,
  failed: 0,
  ...more,
});
const half = recent({ confirmed: 20, unconfirmed: 20, failed: 10 });
const facts = (more: Partial<HealthFacts>): HealthFacts => ({
  isActive: true,
  isGone: false,
  held: undefined,
  failures: 0,
  lastHour: half,
  isTried: true,
  ...more,
});

describe('the state of a destination', () => {
  test.each([
    ['switched_off', { isActive: false, isGone: true, held: 'paused', failures: 9 }],
    ['off', { isActive: false, held: 'parked', failures: 9 }],
    ['paused', { held: 'paused', failures: 9 }],
    ['parked', { held: 'parked', failures: 9 }],
    ['failing', { failures: 1, isTried: false }],
    ['no_deliveries', { lastHour: recent(), isTried: false }],
    ['degraded', {}],
    ['healthy', { lastHour: recent({ confirmed: 40, delivered: 10 }) }],
    ['healthy', { lastHour: recent() }],
  ] as const)('is %s for %j', (state, more) => {
    expect(destinationHealthOf(facts(more))).toBe(state);
  });
});

describe('a degraded destination', () => {
  test.each([
    ['half of all events', half, { cause: 'unconfirmed', confirmedPercent: 50 }],
    ['one of 1,000 events', recent({ confirmed: 999, unconfirmed: 1, delivered: 99 }), { confirmedPercent: 99 }],
    ['all events, because none was confirmed', recent({ unconfirmed: 3 }), { confirmedPercent: 0 }],
  ] as const)('leaves out %s', (_what, lastHour, expected) => {
    expect(degradationOf(lastHour)).toMatchObject(expected);
  });
  test.each([
    [1, 19, undefined],
    [1, 18, 6],
    [5, 95, undefined],
    [6, 94, 6],
    [1, 0, 100],
    [0, 0, undefined],
    [0, 5, undefined],
  ] as const)('has %d failed attempts beside %d others: %s', (failed, delivered, failedPercent) => {
    const expected = failedPercent === undefined ? undefined : { cause: 'failed', failedPercent };
    expect(degradationOf(recent({ failed, delivered }))).toEqual(expected);
  });
});

test.each([
  ['nothing ever failed', [[0, 9, 0]], undefined],
  ['two attempts failed in this minute', [[2, 1, 0]], 77],
  [
    'one attempt failed, and none succeeded',
    [
      [0, 1, 0],
      [1, 0, 1],
    ],
    undefined,
  ],
  [
    'two attempts failed before',
    [
      [2, 1, 2],
      [0, 0, 0],
    ],
    1,
  ],
  ['three failed in this minute', [[3, 9, 0]], undefined],
  [
    'all failed, and too few were delivered since',
    [
      [9, 0, 0],
      [0, 2, 0],
    ],
    undefined,
  ],
  [
    'all failed, and three were delivered since',
    [
      [9, 0, 0],
      [0, 0, 0],
      [0, 3, 0],
    ],
    1,
  ],
  [
    'a tenth failed, and no failure in the next twenty',
    [
      [3, 27, 0],
      [0, 20, 0],
    ],
    undefined,
  ],
  [
    'a tenth failed, and no failure in the next thirty',
    [
      [0, 0, 0],
      [3, 27, 0],
      [0, 30, 0],
    ],
    2,
  ],
  [
    'three attempts left out every second event, and too few came since',
    [
      [3, 3, 3],
      [0, 5, 0],
    ],
    undefined,
  ],
  [
    'three attempts left out every second event, and none was since',
    [
      [3, 3, 3],
      [0, 6, 0],
    ],
    1,
  ],
  [
    'no attempt counts as failed, but every second event was left out',
    [
      [0, 3, 3],
      [0, 1, 0],
    ],
    1,
  ],
] as const)('since when a receiver has recovered: %s', (_what, minutes, since) => {
  const bars = minutes.map(([failed, delivered, unconfirmed], fromMs) => ({
    ...NO_DELIVERIES,
    fromMs,
    failed,
    delivered,
    unconfirmed,
    events: delivered,
  }));
  expect(recoveredAtMs(bars, 77)).toBe(since);
});
