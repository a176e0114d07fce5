import fc from 'fast-check';
import type { DeliveryCounts } from '../contracts/history.ts';
import { rangeSpan, spanBetween } from '../contracts/history.ts';
import {
  NO_DELIVERIES,
  recentOf,
  REPLY_BOUNDS_MS,
  replyBucketOf,
  replyTimesOf,
  sumOfCounts,
  totalOfHistories,
  withoutTimeouts,
} from './delivery-counts.ts';

const repliesOf = (times: readonly number[]): number[] => {
  const replies: number[] = [];
  for (const ms of times) replies[replyBucketOf(ms)] = (replies[replyBucketOf(ms)] ?? 0) + 1;
  return replies;
};
const counts = (more: Partial<DeliveryCounts>): DeliveryCounts => ({ ...NO_DELIVERIES, ...more });

describe('buckets of reply times', () => {
  test.each([
    [0, 1],
    [1, 1],
    [1.1, 1.5],
    [49, 50],
    [5000, 5000],
    [5001, 7000],
    [59_000, 60_000],
    [90_000, 60_000],
  ])('%d ms is in the one up to %d ms', (ms, bound) => {
    expect(REPLY_BOUNDS_MS[replyBucketOf(ms)]).toBe(bound);
  });
  test('are in ascending order, and fit into a cell', () => {
    expect([...REPLY_BOUNDS_MS].sort((a, b) => a - b)).toEqual(REPLY_BOUNDS_MS);
    expect(REPLY_BOUNDS_MS.length).toBeLessThanOrEqual(29);
  });
});

describe('the bars of a time', () => {
  const MINUTE_MS = 60_000;
  const HOUR_MS = 60 * MINUTE_MS;
  const nowMs = Date.UTC(2026, 0, 5, 10, 2);
  const between = (from: number, to: number) => spanBetween(nowMs - from, nowMs - to, nowMs);
  test.each([
    ['the last hour', HOUR_MS, 0, '09:00', 5 * MINUTE_MS, 13],
    ['minutes of the last hour', 30 * MINUTE_MS, 10 * MINUTE_MS, '09:30', 5 * MINUTE_MS, 5],
    ['minutes long ago', 5 * HOUR_MS, 4.9 * HOUR_MS, '05:00', HOUR_MS, 1],
    ['whole hours', 5 * HOUR_MS + 2 * MINUTE_MS, 3 * HOUR_MS + 2 * MINUTE_MS, '05:00', HOUR_MS, 2],
    ['a moment between two bars', 5 * HOUR_MS + 2 * MINUTE_MS, 5 * HOUR_MS + 2 * MINUTE_MS, '05:00', HOUR_MS, 1],
    ['two days', 48 * HOUR_MS, 0, '10:00', HOUR_MS, 49],
    ['more, as far as counts are kept', 900 * HOUR_MS, -HOUR_MS, '06:00', 6 * HOUR_MS, 29],
    ['a time that is no longer kept', 900 * HOUR_MS, 800 * HOUR_MS, '10:00', HOUR_MS, 0],
  ])('%s', (_, from, to, clock, barMs, bars) => {
    const span = between(from, to);
    expect([new Date(span.fromMs).toISOString().slice(11, 16), span.barMs, span.bars]).toEqual([clock, barMs, bars]);
  });
  test('a range ends with the current one', () => {
    expect(rangeSpan('24h', nowMs)).toEqual({ fromMs: Date.UTC(2026, 0, 4, 11), barMs: HOUR_MS, bars: 24 });
  });
});

describe('reply times', () => {
  test('are unknown without replies', () => {
    expect(replyTimesOf(NO_DELIVERIES)).toBeUndefined();
    expect(replyTimesOf({ replies: [0, 0] })).toBeUndefined();
  });
  test.each([
    [[40], { p50: 40, p95: 49 }],
    [[0.2, 0.3], { p50: 1, p95: 1 }],
    [[...Array<number>(90).fill(8), ...Array<number>(10).fill(5000)], { p50: 9, p95: 4000 }],
    [Array<number>(100).fill(5000), { p50: 4000, p95: 4900 }],
  ])('are estimates, and never beyond a deadline that is a bound', (times, expected) => {
    expect(replyTimesOf({ replies: repliesOf(times) })).toEqual(expected);
  });
  test('are at most twice too long or too short', () => {
    const times = fc.array(fc.integer({ min: 2, max: 60_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, (all) => {
        const sorted = [...all].sort((a, b) => a - b);
        const found = replyTimesOf({ replies: repliesOf(all) });
        for (const [share, estimate] of [
          [0.5, found?.p50 ?? 0],
          [0.95, found?.p95 ?? 0],
        ] as const) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          expect(estimate / exact).toBeGreaterThan(1 / 2.01);
          expect(estimate / exact).toBeLessThan(2.01);
        }
      }),
    );
  });
});

test('counts add up, reply times by bucket', () => {
  const one = counts({ events: 5, delivered: 2, replies: [1, 0, 1] });
  const two = counts({ events: 1, unconfirmed: 3, delivered: 1, failed: 4, replies: [0, 2], timeouts: 2 });
  const sum = { events: 6, unconfirmed: 3, delivered: 3, failed: 4, replies: [1, 2, 1], timeouts: 2 };
  expect(sumOfCounts([one, two, NO_DELIVERIES])).toEqual(sum);
  expect(sumOfCounts([])).toEqual(NO_DELIVERIES);
});

test('attempts that reached the deadline can be left out of the reply times', () => {
  const replies = repliesOf([40, 40, 5000, 5000, 4500]);
  const some = withoutTimeouts(counts({ failed: 5, replies, timeouts: 2 }), 5000);
  expect(some.replies.reduce((sum, attempts) => sum + attempts, 0)).toBe(3);
  expect(replyTimesOf(withoutTimeouts(counts({ replies: repliesOf([5000]), timeouts: 3 }), 5000))).toBeUndefined();
});

test('bars of several destinations add up one by one', () => {
  const bars = (...delivered: number[]) => delivered.map((one, i) => ({ fromMs: i, ...counts({ delivered: one }) }));
  expect(totalOfHistories([bars(1, 2), bars(10, 20)])).toEqual(bars(11, 22));
  expect(totalOfHistories([bars(1, 2), bars(10)])).toEqual(bars(11, 2));
  expect(totalOfHistories([])).toEqual([]);
});

test('the last hour as the API has it', () => {
  expect(recentOf(NO_DELIVERIES)).toEqual({ confirmed: 0, unconfirmed: 0, delivered: 0, failed: 0 });
  const some = counts({ events: 5, unconfirmed: 1, delivered: 1, failed: 2, replies: repliesOf([40]) });
  const replyTimeMs = { p50: 40, p95: 49 };
  expect(recentOf(some)).toEqual({ confirmed: 5, unconfirmed: 1, delivered: 1, failed: 2, replyTimeMs });
});
