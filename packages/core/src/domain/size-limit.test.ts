import { isOutdated, readSizeLimit, sizeLimitText } from './size-limit.ts';

const DAY_MS = 24 * 3_600_000;
const limit = { maxBytes: 50_000, sinceMs: DAY_MS };

test('a limit is remembered for a day', () => {
  expect([2 * DAY_MS - 1, 2 * DAY_MS].map((nowMs) => isOutdated(limit, nowMs))).toEqual([false, true]);
  // A wrong clock wrote it.
  expect(isOutdated({ ...limit, sinceMs: 1e15 }, DAY_MS)).toBe(true);
});

test('reads the text that it writes, and no text as no limit', () => {
  expect(readSizeLimit(sizeLimitText(limit))).toEqual(limit);
  expect(sizeLimitText(limit)).toMatch(/^50000 /);
  expect(readSizeLimit(sizeLimitText(undefined))).toBeUndefined();
});
