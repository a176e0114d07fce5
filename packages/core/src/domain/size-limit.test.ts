import { readSizeLimit, sizeLimitAfterDelivery, sizeLimitAfterRefusal, sizeLimitText } from './size-limit.ts';
import type { SizeLimit } from './size-limit.ts';

const MINUTE_MS = 60_000;
const limit = (more: Partial<SizeLimit> = {}): SizeLimit => ({
  maxBytes: 50_000,
  takenBytes: 49_000,
  growAtMs: 10 * MINUTE_MS,
  growAfterMs: 10 * MINUTE_MS,
  ...more,
});

describe('after a 413', () => {
  test('the limit is half of the body', () => {
    const first = sizeLimitAfterRefusal(undefined, 200_001, 0);
    expect(first).toEqual(limit({ maxBytes: 100_000, takenBytes: 0 }));
    expect(sizeLimitAfterRefusal(first, 100_000, 0)).toEqual(limit({ takenBytes: 0 }));
  });
  test('a body above the limit shows nothing new', () => {
    expect(sizeLimitAfterRefusal(limit(), 50_001, 0)).toEqual(limit());
  });
  test('after a growth it is what the receiver took before, and the next growth comes later', () => {
    const grown = limit({ maxBytes: 62_500 });
    const back = sizeLimitAfterRefusal(grown, 62_000, 1000);
    expect(back).toEqual(limit({ maxBytes: 49_000, growAtMs: 1000 + 20 * MINUTE_MS, growAfterMs: 20 * MINUTE_MS }));
    const day = 24 * 60 * MINUTE_MS;
    expect(sizeLimitAfterRefusal({ ...grown, growAfterMs: day - 1 }, 62_000, 0).growAfterMs).toBe(day);
  });
  test('a receiver that refuses what it took before takes less now', () => {
    expect(sizeLimitAfterRefusal(limit(), 40_000, 0)).toMatchObject({ maxBytes: 20_000, takenBytes: 0 });
    expect(sizeLimitAfterRefusal(limit({ takenBytes: 10_000 }), 40_000, 0)).toMatchObject({ maxBytes: 20_000 });
  });
});

describe('after a delivery', () => {
  const late = 10 * MINUTE_MS;
  test('nothing changes before its time', () => {
    const same = limit();
    expect(sizeLimitAfterDelivery(same, 48_000, late - 1)).toBe(same);
  });
  test('a body near the limit lets it grow by a quarter', () => {
    expect(sizeLimitAfterDelivery(limit(), 49_500, late)).toEqual(
      limit({ maxBytes: 62_500, takenBytes: 49_500, growAtMs: 2 * late }),
    );
  });
  test('a small body does not', () => {
    const same = limit();
    expect(sizeLimitAfterDelivery(same, 10_000, late)).toBe(same);
  });
  test('a larger body than ever is remembered; above the limit it raises it', () => {
    expect(sizeLimitAfterDelivery(limit(), 49_900, 0)).toEqual(limit({ takenBytes: 49_900 }));
    expect(sizeLimitAfterDelivery(limit(), 80_000, 0)).toEqual(limit({ maxBytes: 80_000, takenBytes: 80_000 }));
  });
  test('at 1 MiB it is forgotten', () => {
    expect(sizeLimitAfterDelivery(limit({ maxBytes: 900_000 }), 800_000, late)).toBeUndefined();
  });
  test('a time that a wrong clock wrote does not hold it back for ever', () => {
    expect(sizeLimitAfterDelivery(limit({ growAtMs: 1e15 }), 49_000, 0)?.maxBytes).toBe(62_500);
  });
});

test('a receiver of 50 kB sees few 413 replies: 12 in 10 days of full batches, each minute', () => {
  let state: SizeLimit | undefined;
  let refusals = 0;
  for (let nowMs = 0; nowMs < 10 * 24 * 60 * MINUTE_MS; nowMs += MINUTE_MS) {
    const bytes = Math.min(200_000, state?.maxBytes ?? 200_000);
    if (bytes > 50_000) {
      refusals += 1;
      state = sizeLimitAfterRefusal(state, bytes, nowMs);
    } else if (state !== undefined) state = sizeLimitAfterDelivery(state, bytes, nowMs);
  }
  expect(refusals).toBeLessThanOrEqual(20);
  expect(state?.maxBytes).toBeGreaterThan(40_000);
});

test('text: there and back; what is none is no limit', () => {
  expect(readSizeLimit(sizeLimitText(limit()))).toEqual(limit());
  expect(sizeLimitText(limit())).toMatch(/^50000 /);
  expect(readSizeLimit(sizeLimitText(undefined))).toBeUndefined();
  expect(readSizeLimit('50000 of another version')).toBeUndefined();
});
