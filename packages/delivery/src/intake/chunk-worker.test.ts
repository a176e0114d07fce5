import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import { chunkProcessor } from './chunk-worker.ts';

const fault = new RangeError('Maximum call stack size exceeded');
const process = chunkProcessor({
  worker: 'w',
  shards: 1,
  shard: 0,
  targetOf: () => ({
    scripts: { append: () => Promise.reject(fault), claimIds: () => Promise.reject(fault) },
    pool: undefined,
    limits: { batchMax: 1, windowMax: 1, maxAgeMs: 1000 },
  }),
  jobKey: (id) => id,
  persist: (step) => step(),
  onDropped: () => undefined,
});
const data = { v: 1, acceptedAt: 1, groups: [['campaign', 'd', 'account', 'f', ['0001{"hash":"h'], null]] };
const job = (attemptsMade: number) => ({ id: 'c1', name: 'chunk', data, attemptsMade }) as unknown as Job<unknown>;

test('a chunk that meets a fault of ours is tried again, and set aside after the third time', async () => {
  await expect(process(job(0))).rejects.toBe(fault);
  await expect(process(job(1))).rejects.toBe(fault);
  await expect(process(job(2))).rejects.toThrow(UnrecoverableError);
  await expect(process(job(2))).rejects.toThrow('set aside after 3 tries: Maximum call stack');
});
