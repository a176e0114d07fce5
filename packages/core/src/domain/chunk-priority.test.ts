import { chunkPriority } from './chunk-priority.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_000_000 * MINUTE_MS;

test.each([
  [0, 0],
  [100_000, 0],
  [100_001, 1],
  [1_200_000, 4],
  [64_000_000, 10],
  [1_000_000_000, 14],
  [1e12, 14],
])('a chunk of an account with %i queued bytes is late by %i minutes', (bytes, minutes) => {
  expect(chunkPriority(bytes, START_MS, true)).toBe(1_000_000 + minutes);
});

test('the heaviest account is before all that arrives a quarter of an hour later', () => {
  const heaviest = chunkPriority(1_000_000_000, START_MS, true);
  expect(chunkPriority(200, START_MS + 15 * MINUTE_MS, true)).toBeGreaterThan(heaviest);
});

test('a light chunk needs no priority unless the shard is backed up', () => {
  expect(chunkPriority(200, START_MS, false)).toBe(0);
  expect(chunkPriority(1_200_000, START_MS, false)).toBe(1_000_004);
});

test('every priority is one that BullMQ takes', () => {
  for (const minute of [2_097_151, 2_097_152, 29_000_000]) {
    const priority = chunkPriority(1e15, minute * MINUTE_MS, true);
    expect(priority).toBeGreaterThanOrEqual(0);
    expect(priority).toBeLessThan(2_097_152);
  }
});
