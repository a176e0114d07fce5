import { readSizeLimit, sizeLimitAfterCut, sizeLimitAfterDelivery, sizeLimitText } from './size-limit.ts';
import type { SizeLimit } from './size-limit.ts';

const MINUTE_MS = 60_000;
const limit = (more: Partial<SizeLimit> = {}): SizeLimit => ({
  maxBytes: 50_000,
  takenBytes: 49_000,
  growAtMs: 10 * MINUTE_MS,
  growAfterMs: 10 * MINUTE_MS,
  ...more,
});

describe('after a batch was cut', () => {
  test('the limit is the size that it was cut to', () => {
    expect(sizeLimitAfterCut(undefined, { maxBytes: 50_000, takenBytes: 49_000 }, 0)).toEqual(limit());
    // A single event is sent even if it exceeds the limit.
    expect(sizeLimitAfterCut(undefined, { maxBytes: 100, takenBytes: 300 }, 0)?.maxBytes).toBe(300);
  });
  test('a cut to the known limit, because the batch was frozen earlier, changes nothing', () => {
    const same = limit();
    expect(sizeLimitAfterCut(same, { maxBytes: 50_000, takenBytes: 48_000 }, 0)).toBe(same);
  });
  test('a cut below the known limit lowers the limit and delays the next growth', () => {
    const grown = limit({ maxBytes: 62_500 });
    expect(sizeLimitAfterCut(grown, { maxBytes: 49_000, takenBytes: 48_000 }, 1000)).toEqual(
      limit({ maxBytes: 49_000, takenBytes: 48_000, growAtMs: 1000 + 20 * MINUTE_MS, growAfterMs: 20 * MINUTE_MS }),
    );
    const day = 24 * 60 * MINUTE_MS;
    const late = { ...grown, growAfterMs: day - 1 };
    expect(sizeLimitAfterCut(late, { maxBytes: 49_000, takenBytes: 48_000 }, 0)?.growAfterMs).toBe(day);
  });
});

describe('after a delivery', () => {
  const late = 10 * MINUTE_MS;
  test('the limit does not grow before its time', () => {
    const same = limit();
    expect(sizeLimitAfterDelivery(same, 48_000, late - 1)).toBe(same);
  });
  test('a body near the limit lets the limit grow by a quarter', () => {
    expect(sizeLimitAfterDelivery(limit(), 49_500, late)).toEqual(
      limit({ maxBytes: 62_500, takenBytes: 49_500, growAtMs: 2 * late }),
    );
  });
  test('a small body does not let the limit grow', () => {
    const same = limit();
    expect(sizeLimitAfterDelivery(same, 10_000, late)).toBe(same);
  });
  test('the largest delivered body is remembered, and raises the limit if it exceeds it', () => {
    expect(sizeLimitAfterDelivery(limit(), 49_900, 0)).toEqual(limit({ takenBytes: 49_900 }));
    expect(sizeLimitAfterDelivery(limit(), 80_000, 0)).toEqual(limit({ maxBytes: 80_000, takenBytes: 80_000 }));
  });
  test('a limit of 1 MiB is forgotten', () => {
    expect(sizeLimitAfterDelivery(limit({ maxBytes: 900_000 }), 800_000, late)).toBeUndefined();
  });
  test('a growth time that a wrong clock wrote does not stop the growth', () => {
    expect(sizeLimitAfterDelivery(limit({ growAtMs: 1e15 }), 49_000, 0)?.maxBytes).toBe(62_500);
  });
});

test('a receiver of 50 kB that gets full batches each minute for 10 days answers 413 at most 20 times', () => {
  let state: SizeLimit | undefined;
  let refusals = 0;
  for (let nowMs = 0; nowMs < 10 * 24 * 60 * MINUTE_MS; nowMs += MINUTE_MS) {
    let bytes = Math.min(200_000, state?.maxBytes ?? 200_000);
    if (bytes <= 50_000 && state !== undefined) state = sizeLimitAfterDelivery(state, bytes, nowMs);
    else {
      for (; bytes > 50_000; refusals += 1) {
        bytes = state !== undefined && state.takenBytes < bytes ? state.takenBytes : Math.floor(bytes / 2);
      }
      state = sizeLimitAfterCut(state, { maxBytes: bytes, takenBytes: bytes }, nowMs);
    }
  }
  expect(refusals).toBeLessThanOrEqual(20);
  expect(refusals).toBeGreaterThan(2);
  expect(state?.maxBytes).toBeGreaterThan(40_000);
});

test('reads the text that it writes, and an unreadable text as no limit', () => {
  expect(readSizeLimit(sizeLimitText(limit()))).toEqual(limit());
  expect(sizeLimitText(limit())).toMatch(/^50000 /);
  expect(readSizeLimit(sizeLimitText(undefined))).toBeUndefined();
  expect(readSizeLimit('50000 of another version')).toBeUndefined();
});
