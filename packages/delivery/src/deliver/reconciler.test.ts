import { eventually } from '@mailhook/testing';
import { IDLE, READY } from '../mailbox/constants.ts';
import { readMailbox } from '../mailbox/records.ts';
import { LIVE_PAGE, WALK_RUNS } from './limits.ts';
import { HOUR_MS, LIMITS, WORKER, reconcilerRig } from './reconciler-rig.suite.ts';

const ONE = { proven: 1, others: 1 };

describe('the reconciler repairs exactly what was lost, and counts the repair', () => {
  const rig = reconcilerRig();
  const { startWorker, append, arrived } = rig;

  test('nothing is lost: waiting events, a future resend and a parked destination', async () => {
    rig.outcome = 'failed';
    await startWorker(1);
    await append('one');
    await arrived(1);
    await eventually(async () => (await rig.redis.zcard(`${rig.keys.base}due`)) === 1, { what: 'the resend' });
    await append('two');
    await rig.reconciler.run();
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([]);
  });

  test('the owner of a destination with batches in flight', async () => {
    await append('mail');
    const { replies } = await rig.commands.take('wlost', 1, ONE, LIMITS);
    expect(replies[0]?.batches).toHaveLength(1);
    await rig.setStatus(IDLE);
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
    expect(rig.sent).toEqual([{ content: 'mail', attempt: 2 }]);
  });

  test('a place in the ready list', async () => {
    await append('mail');
    await rig.redis.lrem(`${rig.keys.base}ready`, 0, 'd');
    expect((await readMailbox(rig.redis, rig.keys, 'd')).state.status).toBe(READY);
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
  });

  test('a place in the ready list while another destination waits there', async () => {
    await append('mail');
    await rig.redis.lrem(`${rig.keys.base}ready`, 0, 'd');
    await rig.redis.rpush(`${rig.keys.base}ready`, 'another');
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
  });

  test('the lease of a dead worker', async () => {
    await append('mail');
    await rig.commands.take('wforgotten', 1, ONE, LIMITS);
    await rig.redis.zrem(`${rig.keys.base}workers`, 'wforgotten');
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['ownership', 1]]);
    await startWorker();
    await arrived(1);
    expect(rig.sent).toEqual([{ content: 'mail', attempt: 2 }]);
  });

  test(`a lost wake-up beside many mailboxes, within ${WALK_RUNS} runs`, async () => {
    const many = WALK_RUNS * LIVE_PAGE * 2;
    await rig.commands.heartbeat('wother', HOUR_MS, 500);
    await append('mail');
    await rig.commands.take('wother', 1, ONE, LIMITS);
    const owned = (await rig.redis.hgetBuffer(rig.keys.live, 'd')) ?? '';
    for (let from = 0; from < many; from += 1000)
      await rig.redis.hset(rig.keys.live, ...Array.from({ length: 1000 }, (_, i) => [`o${from + i}`, owned]).flat());
    await rig.setStatus(IDLE);
    for (let run = 0; run < WALK_RUNS; run += 1) await rig.reconciler.run();
    expect(rig.repairs).toEqual([['mail', 1]]);
  });

  test('the reply to a claim: an owned destination that the pool does not know', async () => {
    await rig.commands.heartbeat(WORKER, HOUR_MS, 500);
    await append('mail');
    await rig.commands.take(WORKER, 1, ONE, LIMITS);
    await rig.reconciler.run();
    expect(rig.repairs).toEqual([['ownership', 1]]);
    await startWorker();
    await arrived(1);
  });
});
