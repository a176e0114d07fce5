import type { HeartbeatReply } from '../mailbox/heartbeat.ts';
import { Lease } from './lease.ts';
import { createRuntime } from './runtime.ts';

const replyOf = (loadedAtMs: number): HeartbeatReply => ({
  waiting: { proven: 0, others: 0 },
  moved: 0,
  whole: true,
  lost: { resends: 0, parkings: 0 },
  heartbeat: { number: 1, atMs: 1, loadedAtMs },
  lostWrites: undefined,
  violations: [],
});

test('a worker notices each time that Redis has loaded its data anew', async () => {
  const loads = [1, 1, 2, 2, 3];
  let reloads = 0;
  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const lease = new Lease({
    commands: {
      heartbeat: () => {
        if (loads.length === 1) end();
        return Promise.resolve(replyOf(loads.shift() ?? 3));
      },
    },
    runtime: createRuntime(),
    worker: 'w',
    host: 'h',
    leaseMs: 2500,
    heartbeatMs: 1,
    longestWaitMs: 0,
    onWaiting: () => undefined,
    onReloaded: () => (reloads += 1),
    observer: {
      recovered: () => undefined,
      repaired: () => undefined,
      lostWrites: () => undefined,
      violation: () => undefined,
      error: () => undefined,
    },
  });
  await lease.start();
  await ended;
  await lease.stop();
  expect(reloads).toBe(2);
});
