import { createRepeatLimit } from './repeats.ts';

test('of equal lines, ten are written per minute, and the next one says how many were not', () => {
  const limit = createRepeatLimit();
  const written = Array.from({ length: 1470 }, (_, i) => limit.admit('the same', i)).filter((one) => one.isWritten);
  expect(written).toHaveLength(10);
  expect(limit.admit('another', 1470)).toEqual({ isWritten: true, leftOut: 0 });
  expect(limit.admit('the same', 60_000)).toEqual({ isWritten: true, leftOut: 1460 });
  expect(limit.admit('the same', 60_001)).toEqual({ isWritten: true, leftOut: 0 });
});
