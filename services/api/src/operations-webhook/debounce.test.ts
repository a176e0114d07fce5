import { debounced } from './debounce.ts';
import type { Kept, Verdict } from './debounce.ts';

const TIMES = { beginAfterMs: 100, endAfterMs: 50 };
const step = (kept: Kept, verdict: Verdict | undefined, nowMs: number) => debounced(kept, verdict, nowMs, TIMES);

describe('a condition', () => {
  test('is announced when it has held for long enough, and forgotten when it is over before that', () => {
    const kept = { since: 1000 };
    expect(step(kept, 'holds', 1099)).toBeUndefined();
    expect(step(kept, 'holds', 1100)).toEqual({ change: 'began', kept: { since: 1000, isAnnounced: true } });
    expect(step(kept, 'over', 1100)).toEqual({});
  });

  test('has ended when it was over for long enough without a break', () => {
    const kept = { since: 1000, isAnnounced: true } as const;
    expect(step(kept, 'holds', 2000)).toBeUndefined();
    const over = { ...kept, overSince: 2000 };
    expect(step(kept, 'over', 2000)).toEqual({ kept: over });
    expect(step(over, 'holds', 2010)).toEqual({ kept });
    expect(step(over, 'over', 2049)).toBeUndefined();
    expect(step(over, 'over', 2050)).toEqual({ change: 'ended' });
  });

  test('waits while it is undecided, and is forgotten without a message with what it is about', () => {
    for (const kept of [{ since: 1 }, { since: 1, isAnnounced: true, overSince: 2 }] as const) {
      expect(step(kept, 'undecided', 9999)).toBeUndefined();
      expect(step(kept, undefined, 9999)).toEqual({});
    }
  });
});
