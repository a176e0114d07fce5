import { anOpen, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { startDoomedWorker } from './rig/doomed.ts';

const NOTIFICATIONS = 12;
const WAIT_MS = 2000;

test('two workers with clocks 2 s apart resend on schedule', async () => {
  const receiver = await startReceiver();
  const rig = await startRig({ kind: 'transactional' });
  const worker = { kind: 'transactional', redisUrl: await testRedisUrl(), queuePrefix: rig.queuePrefix } as const;
  const workers = await Promise.all(
    [0, 2000].map((clockAheadMs) => startDoomedWorker({ ...worker, scheduleMs: [WAIT_MS], clockAheadMs })),
  );
  try {
    receiver.setReply(({ headers }) => ({ status: headers['webhook-attempt'] === '1' ? 500 : 200 }));
    const destinations = await Promise.all(
      Array.from({ length: NOTIFICATIONS }, () => rig.destination(uniqueName('account'), receiver.url)),
    );
    for (const destination of destinations) await rig.publish([anOpen()], destination);
    const requests = await receiver.waitForRequests(2 * NOTIFICATIONS, 30_000);
    const startedAt = new Map<unknown, number>();
    const waits: number[] = [];
    for (const { headers, at } of requests) {
      const id = headers['webhook-id'];
      const first = startedAt.get(id);
      if (first === undefined) startedAt.set(id, at);
      else waits.push(at - first);
    }
    expect(waits).toHaveLength(NOTIFICATIONS);
    expect(Math.min(...waits)).toBeGreaterThan(WAIT_MS / 2);
    // If the other clock delays a wake-up job, a heartbeat wakes the resend.
    expect(Math.max(...waits)).toBeLessThan(WAIT_MS + 4500);
  } finally {
    for (const one of workers) one.kill();
    await rig.close();
    await receiver.close();
  }
}, 60_000);
