import { DEACTIVATIONS_QUEUE } from '@mailhook/core';
import { eventually, uniqueName } from '@mailhook/testing';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { readMailbox } from '../mailbox/records.ts';
import { HOUR_MS, LOST_MS, reconcilerRig } from './reconciler-rig.suite.ts';

describe('the reconciler repairs exactly what was lost, and counts the repair', () => {
  const rig = reconcilerRig();
  const { startWorker, append, arrived, queueOf } = rig;
  /** One event has failed, and another one waits at the parked destination. */
  const park = async (): Promise<void> => {
    rig.outcome = 'failed';
    await startWorker(1);
    await append('first');
    await arrived(1);
    await append('held back');
    await eventually(async () => (await rig.redis.zscore(`${rig.keys.base}parked`, 'd')) !== null, {
      what: 'the parking',
    });
  };

  test('a parked destination that is missing in the set of parked ones (not counted)', async () => {
    await park();
    await rig.redis.zrem(`${rig.keys.base}parked`, 'd');
    await rig.reconciler.run();
    const { state } = await readMailbox(rig.redis, rig.keys, 'd');
    expect(await rig.redis.zscore(`${rig.keys.base}parked`, 'd')).toBe(String(state.parkedUntilMs));
    expect(rig.repairs).toEqual([]);
  });

  test('a parking that became longer, because the clock of Redis went back', async () => {
    await park();
    await rig.setParkedUntil(Date.now() + 3 * HOUR_MS);
    await rig.reconciler.run();
    await arrived(2);
  });

  /** Adds a chunk job that a worker moves to the failed jobs for this reason. */
  async function addFailedChunk(reason: string): Promise<Queue> {
    const queue = queueOf('chunks');
    const data = { v: 1, acceptedAt: Date.now(), groups: [['campaign', 'd', 'account', 'f', ['0001mail'], null]] };
    await queue.add('chunk', data, { jobId: uniqueName('c'), removeOnComplete: true });
    const failing = new Worker(queue.name, () => Promise.reject(new UnrecoverableError(reason)), {
      connection: rig.connection,
      prefix: rig.keys.queuePrefix,
    });
    await eventually(async () => (await queue.getFailedCount()) === 1, { what: 'the failed job' });
    await failing.close();
    return queue;
  }

  test('a chunk job that failed as stalled', async () => {
    const queue = await addFailedChunk('job stalled more than allowable limit');
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['stalled-job', 1]]);
    expect(await queue.getFailedCount()).toBe(0);
    await startWorker();
    await arrived(1);
    expect(rig.sent).toEqual([{ content: 'mail', attempt: 1 }]);
    await queue.close();
  });

  test.each([
    'the job did not end before its process in 5 runs, the last 2 of them alone',
    'malformed chunk: it has version 2, but this worker reads version 1',
  ])('leaves a chunk job that failed for another reason to the operator: %s', async (reason) => {
    const queue = await addFailedChunk(reason);
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([]);
    expect(await queue.getFailedCount()).toBe(1);
    await queue.close();
  });

  test('the Bull Board job of a dead letter', async () => {
    const deadLetters = queueOf('deadLetters');
    await rig.redis.hset(`${rig.keys.base}dl:one`, {
      account: 'account',
      destination: 'd',
      address: 'http://127.0.0.1/',
      events: 3,
      attempts: 2,
      error: 'no luck',
    });
    const list = `${rig.keys.shared}dls`;
    // The reconciler skips a new dead letter, one of the other mechanism, an old one, and a re-driven one (`cgone`,
    // which has no record).
    const nowMs = Date.now();
    await rig.redis.zadd(list, nowMs, 'cfresh', nowMs - LOST_MS, 'tother', nowMs - 2 * HOUR_MS, 'cold');
    await rig.redis.zadd(list, nowMs - LOST_MS, 'cone', nowMs - LOST_MS, 'cgone');
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['dead-letter', 1]]);
    const [job, ...others] = await deadLetters.getJobs();
    expect(others).toEqual([]);
    expect([job?.id, job?.data]).toEqual([
      'dl-one',
      {
        v: 1,
        deadLetter: 'one',
        account: 'account',
        destination: 'd',
        kind: 'campaign',
        events: 3,
        attempts: 2,
        error: 'no luck',
      },
    ]);
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['dead-letter', 1]]);
    await deadLetters.close();
  });

  test('the job that reports a deactivation to the store', async () => {
    await rig.answerGone('410 - HTTP/1.1 410 Gone');
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['deactivation', 1]]);
    const queue = new Queue(DEACTIVATIONS_QUEUE, { connection: rig.redis, prefix: rig.prefix });
    const told = (await queue.getJobs()).map(({ data }) => data as unknown);
    expect(told).toMatchObject([{ destination: 'd', account: 'account', kind: 'campaign', version: 1 }]);
    expect(await rig.redis.scard(`${rig.keys.base}gone`)).toBe(0);
    await queue.close();
  });

  test('the rest, even if one step fails', async () => {
    await rig.answerGone('410');
    const chunks = queueOf('chunks');
    await rig.redis.set(chunks.toKey('failed'), 'no sorted set');
    await chunks.close();
    await expect(rig.reconciler.run()).rejects.toThrow('WRONGTYPE');
    expect(rig.repairs).toEqual([['deactivation', 1]]);
  });
});
