import { Queue } from 'bullmq';
import type { Job } from 'bullmq';
import { eventually, uniqueName } from '@mailhook/testing';
import type { Redis } from '../redis/index.ts';
import { closeRedis, duplicateRedis } from '../redis/index.ts';
import { JobGate } from './job-gate.ts';
import { useRedis } from './redis.suite.ts';
import { openWatchedWorker } from './watched-worker.ts';
import type { WatchedWorker } from './watched-worker.ts';
import { LARGE_JOB_BYTES, withheldBytes, withholdData } from './withheld-data.ts';

const large = (name: string) => ({ name, text: 'é'.repeat(LARGE_JOB_BYTES / 2) });
const BYTES = Buffer.byteLength(JSON.stringify(large('x')));

describe('jobs of a queue with large jobs', () => {
  const redis = useRedis();
  let connection: Redis;
  let queue: Queue;
  const opened: { close(): Promise<unknown> }[] = [];
  /** Started jobs by name, each with the names of the jobs that were in memory at its start. */
  let beside: Map<string, readonly string[]>;
  let release: () => void;

  beforeAll(() => (connection = redis()));
  beforeEach(() => {
    queue = new Queue(uniqueName('queue'), { connection });
    opened.push(queue);
    beside = new Map();
    release = () => undefined;
  });
  afterEach(async () => {
    release();
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  /** Holds each job until `release`, so that all jobs that may run together run at the same time. */
  function startWorker(jobBytesMax?: number): WatchedWorker {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = new Set<string>();
    const watched = openWatchedWorker({
      queue: queue.name,
      connection,
      concurrency: 8,
      process: async (job) => {
        const { name, text } = job.data as { name: string; text?: string };
        running.add(name);
        beside.set(name, [...running]);
        await held;
        running.delete(name);
        return text?.length;
      },
      admission: {
        gate: new JobGate({ bytes: 1.5 * BYTES, waiting: 4 }),
        ...(jobBytesMax === undefined ? {} : { jobBytesMax }),
      },
      onError: () => undefined,
    });
    opened.push(watched);
    return watched;
  }

  const started = (count: number) => eventually(() => beside.size === count, { what: `${count} jobs to start` });
  const finished = (job: Job) =>
    eventually(async () => (await queue.getJob(job.id ?? ''))?.finishedOn !== undefined, { what: 'the end of a job' });
  const read = async (job: Job) => (await queue.getJob(job.id ?? '')) as Job;
  const set = (job: Job, field: string, value: string) => connection.hset(queue.toKey(job.id ?? ''), field, value);

  test('are processed with their data, large ones one after the other', async () => {
    const jobs = [];
    for (const name of ['a', 'b']) jobs.push(await queue.add('large', large(name)));
    await queue.add('small', { name: 'small' });
    startWorker();
    await started(2);
    expect([...beside.keys()].sort()).toEqual(['a', 'small']);
    release();
    for (const job of jobs) await finished(job);
    expect((await read(jobs[1] as Job)).returnvalue).toBe(LARGE_JOB_BYTES / 2);
    expect(beside.get('b')).not.toContain('a');
  });

  test('leave places for small jobs, even if many large jobs wait', async () => {
    for (let i = 0; i < 20; i += 1) await queue.add('large', large(`large ${i}`));
    const small = await queue.add('small', { name: 'small' });
    startWorker();
    await started(2);
    expect(beside.has('small')).toBe(true);
    release();
    await finished(small);
    await eventually(() => beside.size === 21, { what: 'all of the large jobs' });
  });

  test('fail at once if they are larger than the limit, and keep their data', async () => {
    const job = await queue.add('large', large('a'), { attempts: 5 });
    startWorker(BYTES - 1);
    await finished(job);
    const failed = await read(job);
    expect(failed.failedReason).toBe(
      `the job holds ${BYTES} bytes of data, and at most ${BYTES - 1} can be taken: send the events in smaller jobs`,
    );
    expect(failed.data).toEqual(large('a'));
    expect(beside.size).toBe(0);
  });

  describe.each(['small', 'large'])('a %s job that did not end before its process three times', (size) => {
    const data = () => (size === 'small' ? { name: 'suspect' } : large('suspect'));

    test('runs alone', async () => {
      const suspect = await queue.add(size, data());
      await set(suspect, 'stc', '3');
      for (let i = 0; i < 4; i += 1) await queue.add('small', { name: `small ${i}` });
      startWorker();
      await started(1);
      expect([...beside]).toEqual([['suspect', ['suspect']]]);
      release();
      await finished(suspect);
      await started(5);
    });

    test('fails with its data after two such runs alone, and runs alone when it is retried', async () => {
      const suspect = await queue.add(size, data(), { attempts: 1000 });
      await set(suspect, 'stc', '5');
      await connection.set(`${queue.toKey(suspect.id ?? '')}:alone`, 2);
      const innocent = await queue.add('small', { name: 'innocent' });
      await set(innocent, 'stc', '5');
      startWorker();
      await finished(suspect);
      expect((await read(suspect)).failedReason).toMatch(/^the job did not end before its process in 5 runs/);
      expect((await read(suspect)).data).toEqual(data());
      await started(1);
      release();
      await finished(innocent);
      expect((await read(innocent)).failedReason).toBeUndefined();
      await suspect.retry('failed');
      await eventually(async () => (await queue.getJobState(suspect.id ?? '')) === 'completed', { what: 'the retry' });
      expect(await connection.exists(`${queue.toKey(suspect.id ?? '')}:alone`)).toBe(0);
    });
  });

  test('have only their size instead of their data on a connection that withholds data', async () => {
    const light = duplicateRedis(connection);
    withholdData(light, {});
    const shown = new Queue(queue.name, { connection: light });
    opened.push(shown, { close: () => closeRedis(light) });
    const [big, small] = [await queue.add('large', large('a')), await queue.add('small', { name: 'small' })];
    await set(small, 'stc', '9');
    expect((await shown.getWaiting()).map(({ data }) => data as unknown)).toEqual([
      { withheldBytes: BYTES },
      { name: 'small' },
    ]);
    expect(withheldBytes((await shown.getJob(big.id ?? ''))?.data)).toBe(BYTES);
    expect(await shown.getJob('none')).toBeUndefined();
  });
});
