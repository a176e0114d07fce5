import type { Flight } from './drain.ts';
import { newDrain } from './drain.ts';
import { flightsToCut } from './requests-to-cut.ts';
import { aBatch } from './attempt-samples.suite.ts';

const NOW_MS = 10_000;

function aFlight(ageMs: number, { failures = 0, isProven = false, isSent = true } = {}): Flight {
  const drain = newDrain('d', 'w_1', { failures, parkMs: 0, parkedUntilMs: 0 }, 0);
  drain.isProven = isProven;
  return { drain, batch: aBatch(), startedMs: NOW_MS - ageMs, cut: isSent ? () => undefined : undefined };
}

describe('the requests that a crowded pool cuts', () => {
  test('have been in flight for 500 ms, or for 2500 ms to proven destinations', () => {
    const proven = aFlight(2600, { isProven: true });
    const other = aFlight(500);
    const flights = [proven, aFlight(2500, { isProven: true }), other, aFlight(499)];
    expect(flightsToCut(flights, NOW_MS)).toEqual([other, proven]);
  });

  test('are first those to receivers that are most likely to hang, then the oldest', () => {
    const proven = aFlight(9000, { isProven: true });
    const unknown = aFlight(3000);
    const failed = [aFlight(2000, { failures: 1 }), aFlight(1000, { failures: 5 })];
    expect(flightsToCut([proven, unknown, ...failed], NOW_MS)).toEqual([...failed, unknown, proven]);
  });

  test('are at most 64, and only those that can be cut', () => {
    const flights = Array.from({ length: 100 }, (_, i) => aFlight(1000, { isSent: i >= 10 }));
    expect(flightsToCut(flights, NOW_MS)).toEqual(flights.slice(10, 74));
  });
});
