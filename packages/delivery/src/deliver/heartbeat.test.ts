import { eventually } from '@mailhook/testing';
import { HOUR_MS, LOST_MS, reconcilerRig } from './reconciler-rig.suite.ts';

describe('a heartbeat does the work of a lost wake-up job and counts the repair', () => {
  const rig = reconcilerRig();
  const { startWorker, append, arrived, removeDelayed } = rig;

  test('wakes a resend', async () => {
    rig.outcome = 'failed';
    await startWorker();
    await append('event');
    await arrived(1);
    await removeDelayed('resends');
    rig.outcome = 'delivered';
    const [resend = ''] = await rig.redis.zrange(`${rig.keys.base}due`, '0', '-1');
    await rig.redis.zincrby(`${rig.keys.base}due`, -HOUR_MS - LOST_MS, resend);
    await arrived(2);
    expect(rig.sent).toEqual([
      { content: 'event', attempt: 1 },
      { content: 'event', attempt: 2 },
    ]);
    expect(await rig.workerRepairs()).toEqual({ resend: 1 });
  });

  test('deletes a due time without a resend, and counts no repair', async () => {
    await rig.redis.zadd(`${rig.keys.base}due`, '1', 'ghost');
    await startWorker();
    await eventually(async () => (await rig.redis.zcard(`${rig.keys.base}due`)) === 0, { what: 'no due entry' });
    expect(await rig.workerRepairs()).toEqual({});
  });

  test('wakes a parked destination', async () => {
    rig.outcome = 'failed';
    await startWorker(1);
    await append('first');
    await arrived(1);
    await removeDelayed('parks');
    await append('held back');
    rig.outcome = 'delivered';
    // The parking ended some time ago.
    const past = Date.now() - LOST_MS;
    await rig.setParkedUntil(past);
    await rig.redis.zadd(`${rig.keys.base}parked`, past, 'd');
    await arrived(2);
    expect(rig.sent.map(({ content }) => content)).toEqual(['first', 'held back']);
    expect(await rig.workerRepairs()).toEqual({ park: 1 });
  });

  test('brings a resend forward that is due later than the longest wait, because the clock went back', async () => {
    rig.outcome = 'failed';
    await startWorker();
    await append('event');
    await arrived(1);
    const due = `${rig.keys.base}due`;
    const [resend = ''] = await rig.redis.zrange(due, '0', '-1');
    await rig.redis.zincrby(due, 10 * HOUR_MS, resend);
    const isInTime = async () => Number(await rig.redis.zscore(due, resend)) <= Date.now() + HOUR_MS;
    await eventually(isInTime, { what: 'a due time within the schedule' });
  });
});
