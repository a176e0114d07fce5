import { partsCloseTimeoutMs, workerCloseTimeoutMs } from './close-times.ts';

test.each([
  [10, 8010, 10_010],
  [5000, 13_000, 15_000],
  [60_000, 68_000, 70_000],
])('with a deadline of %d ms, parts have %d ms to close and the process %d ms', (DELIVERY_TIMEOUT_MS, parts, whole) => {
  expect(partsCloseTimeoutMs({ DELIVERY_TIMEOUT_MS })).toBe(parts);
  expect(workerCloseTimeoutMs({ DELIVERY_TIMEOUT_MS })).toBe(whole);
});
