import { eventually } from '@mailhook/testing';
import type { HeartbeatReply } from '../mailbox/heartbeat.ts';
import { Lease } from './lease.ts';
import { LEASE_MARGIN_MS } from './limits.ts';

const LEASE_MS = LEASE_MARGIN_MS + 400;
const REPLY: HeartbeatReply = {
  waiting: { proven: 0, others: 0 },
  moved: 0,
  whole: true,
  lost: { resends: 0, parkings: 0 },
  heartbeat: { number: 1, atMs: 1 },
  lostWrites: undefined,
  violations: [],
};
const ignore = (): void => undefined;

test('a worker may send only until a second before the end of the lease that Redis last confirmed', async () => {
  let answered = 0;
  let isAnswering = true;
  const lease = new Lease({
    commands: {
      heartbeat: () => {
        if (!isAnswering) return new Promise<HeartbeatReply>(ignore);
        answered += 1;
        return Promise.resolve(REPLY);
      },
    },
    worker: 'w',
    host: 'host 1',
    leaseMs: LEASE_MS,
    heartbeatMs: 20,
    longestWaitMs: 0,
    onWaiting: ignore,
    observer: { recovered: ignore, repaired: ignore, lostWrites: ignore, violation: ignore, error: ignore },
  });
  expect(lease.isFresh).toBe(false);
  const startedAtMs = performance.now();
  await lease.start();
  await eventually(() => answered > 1 && lease.isFresh, { what: 'a renewed lease' });
  const lastAtMs = performance.now();
  isAnswering = false;
  await eventually(() => !lease.isFresh, { what: 'the end of the time to send' });
  expect(performance.now() - startedAtMs).toBeGreaterThan(LEASE_MS - LEASE_MARGIN_MS);
  // Redis would give its destinations to others a second later.
  expect(performance.now() - lastAtMs).toBeLessThan(LEASE_MS);
  isAnswering = true;
  await lease.stop();
});
