import { JOB_ENDED } from '@mailhook/platform/queue';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import { chunkProcessor } from './chunk-worker.ts';
import { SLICE_MAX } from './limits.ts';

const fault = new RangeError('Maximum call stack size exceeded');
const process = chunkProcessor({
  shards: 1,
  shard: 0,
  targetOf: () => ({
    append: () => Promise.reject(fault),
    claimIds: () => Promise.reject(fault),
    forgetClaims: () => Promise.reject(fault),
  }),
  jobKey: (id) => id,
  retryWhileAway: (step) => step(),
  end: () => Promise.reject(fault),
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

test('a large chunk is appended in slices of a bounded size, each with its position', async () => {
  const appended: number[] = [];
  const processLarge = chunkProcessor({
    shards: 1,
    shard: 0,
    targetOf: () => ({
      append: ({ groups, number }) => {
        expect(number).toBe(appended.length + 1);
        appended.push(groups.length);
        return Promise.resolve(0);
      },
      claimIds: () => Promise.resolve(new Set()),
      forgetClaims: () => Promise.resolve(),
    }),
    jobKey: (id) => id,
    retryWhileAway: (step) => step(),
    end: () => Promise.resolve(),
    onDropped: () => undefined,
  });
  const groups = Array.from({ length: 1_200 }, (_, i) => ['transactional', `d${i}`, 'account', 'f', ['0001{}'], null]);
  const large = { id: 'c1', name: 'chunk', data: { v: 1, acceptedAt: 1, groups } } as unknown as Job<unknown>;
  await expect(processLarge(large)).rejects.toBe(JOB_ENDED);
  expect(appended).toEqual([...Array.from({ length: 9 }, () => SLICE_MAX.groups), 75]);
});
