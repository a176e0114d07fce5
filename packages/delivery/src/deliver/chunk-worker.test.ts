import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import { chunkProcessor } from './chunk-worker.ts';
import type { DrainPool } from './drain-pool.ts';

const fault = new RangeError('Maximum call stack size exceeded');
const process = chunkProcessor({
  worker: 'w',
  shards: 1,
  shard: 0,
  targetOf: () => ({
    commands: { append: () => Promise.reject(fault), claimIds: () => Promise.reject(fault) },
    pool: undefined,
    limits: { batchMax: 1, windowMax: 1, maxAgeMs: 1000 },
  }),
  jobKey: (id) => id,
  retryWhileAway: (step) => step(),
  unqueue: () => Promise.reject(fault),
  onDropped: () => undefined,
});
const data = { v: 1, acceptedAt: 1, groups: [['campaign', 'd', 'account', 'f', ['0001{"hash":"h'], null]] };
const job = (attemptsMade: number, v = 1) =>
  ({ id: 'c1', name: 'chunk', data: { ...data, v }, attemptsMade }) as unknown as Job<unknown>;

test('a chunk job with internal errors runs three times in all', async () => {
  await expect(process(job(0))).rejects.toBe(fault);
  await expect(process(job(1))).rejects.toBe(fault);
  await expect(process(job(2))).rejects.toThrow(UnrecoverableError);
  await expect(process(job(2))).rejects.toThrow('given up after 3 tries: Maximum call stack');
});

test.each([0, 2])('a chunk of the unknown version %d fails with a sentence that names both versions', async (v) => {
  await expect(process(job(0, v))).rejects.toThrow(
    new UnrecoverableError(
      `malformed chunk: it has version ${v}, but this worker reads version 1. Retry the job in a version of Mailhook that reads it`,
    ),
  );
});

test('only the first slices of a large chunk wait for room', async () => {
  const appended: number[] = [];
  const waited: number[] = [];
  const appendGate = {
    run: async (destinations: number, append: (hasRoom: boolean) => Promise<number | undefined>) => {
      waited.push(destinations);
      await append(true);
    },
  };
  const pool = {
    appendGate,
    appendRoom: { proven: 200, others: 200 },
    reserveClaims: () => 1,
    drainClaimed: () => undefined,
  };
  const processLarge = chunkProcessor({
    worker: 'w',
    shards: 1,
    shard: 0,
    targetOf: () => ({
      commands: {
        append: ({ groups }) => {
          appended.push(groups.length);
          return Promise.resolve({ claims: 0, dropped: 0, replies: [], mine: [], idle: 0 });
        },
        claimIds: () => Promise.resolve(new Set()),
      },
      pool: pool as unknown as DrainPool,
      limits: { batchMax: 1, windowMax: 1, maxAgeMs: 1000 },
    }),
    jobKey: (id) => id,
    retryWhileAway: (step) => step(),
    unqueue: () => Promise.resolve(),
    onDropped: () => undefined,
  });
  const groups = Array.from({ length: 10_200 }, (_, i) => ['transactional', `d${i}`, 'account', 'f', ['0001{}'], null]);
  await processLarge({ id: 'c1', name: 'chunk', data: { v: 1, acceptedAt: 1, groups } } as unknown as Job<unknown>);
  expect(appended.reduce((sum, count) => sum + count)).toBe(10_200);
  expect(waited).toEqual(Array.from({ length: 80 }, () => 125));
});
