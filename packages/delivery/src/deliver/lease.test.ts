import { eventually } from '@mailhook/testing';
import type { HeartbeatReply } from '../mailbox/heartbeat.ts';
import { Lease } from './lease.ts';
import { LEASE_MARGIN_MS } from './limits.ts';
import { createRuntime } from './runtime.ts';

const replyOf = (loadedAtMs: number): HeartbeatReply => ({
  waiting: { proven: 0, others: 0 },
  moved: 0,
  whole: true,
  lost: { resends: 0, parkings: 0 },
  heartbeat: { number: 1, atMs: 1, loadedAtMs },
  lostWrites: undefined,
  violations: [],
  isLogOn: false,
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

const LEASE_MS = LEASE_MARGIN_MS + 400;
const ignore = (): void => undefined;

test('a worker may send only until a second before the end of the lease that Redis last confirmed', async () => {
  let answered = 0;
  let isAnswering = true;
  const lease = new Lease({
    commands: {
      heartbeat: () => {
        if (!isAnswering) return new Promise<HeartbeatReply>(ignore);
        answered += 1;
        return Promise.resolve(replyOf(1));
      },
    },
    runtime: createRuntime(),
    worker: 'w',
    host: 'host 1',
    leaseMs: LEASE_MS,
    heartbeatMs: 20,
    longestWaitMs: 0,
    onWaiting: ignore,
    onReloaded: ignore,
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

test('after a failed heartbeat, a worker may send only when Redis has confirmed its lease again', async () => {
  let isAway = false;
  let failed = 0;
  const lease = new Lease({
    commands: { heartbeat: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(replyOf(1))) },
    runtime: createRuntime(),
    worker: 'w',
    host: 'host 1',
    leaseMs: 3_600_000,
    heartbeatMs: 5,
    longestWaitMs: 0,
    onWaiting: ignore,
    onReloaded: ignore,
    observer: {
      recovered: ignore,
      repaired: ignore,
      lostWrites: ignore,
      violation: ignore,
      error: () => (failed += 1),
    },
  });
  await lease.start();
  expect(lease.isFresh).toBe(true);
  isAway = true;
  await eventually(() => failed > 0, { what: 'a failed heartbeat' });
  expect(lease.isFresh).toBe(false);
  isAway = false;
  await eventually(() => lease.isFresh, { what: 'a confirmed lease' });
  await lease.stop();
});
