import type { RecentDeliveries } from './delivery-counts.ts';
import type { HealthFacts } from './destination-health.ts';
import { degradationOf, destinationHealthOf } from './destination-health.ts';

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
