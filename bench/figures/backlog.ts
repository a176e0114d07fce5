import { engineKeys } from '@mailhook/delivery';
import { engineQueues } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { redisUsedBytes } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { LoadPlan } from '../processes/load.ts';

const POLL_MS = 50;
const WITHIN_MS = 300_000;
const REQUESTS_IN_FLIGHT = 4;

/** Publishes one part of a run. Resolves when all its events are in their mailboxes. */
export async function fill(lab: Lab, plan: LoadPlan): Promise<void> {
  await lab.load.call('prepare', plan);
  await lab.load.call('burst', { requestsInFlight: REQUESTS_IN_FLIGHT });
  if (plan.to === 'publisher') await untilAppended(lab, plan.kind);
}

/** Resolves when no chunk is waiting or active. */
async function untilAppended(lab: Lab, kind: Mechanism): Promise<void> {
  const queue = `${engineKeys(lab.queuePrefix, 0, kind).queuePrefix}:${engineQueues(kind).chunks}`;
  const untilMs = performance.now() + WITHIN_MS;
  const waiting = async (): Promise<number> =>
    (await lab.redis.llen(`${queue}:wait`)) +
    (await lab.redis.zcard(`${queue}:prioritized`)) +
    (await lab.redis.llen(`${queue}:active`));
  while ((await waiting()) > 0) {
    if (performance.now() > untilMs) throw new Error(`chunks still wait after ${WITHIN_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The memory that Redis uses once its buffers are small again: the lowest of 20 readings. */
export async function settledBytes(lab: Lab): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i += 1) {
    least = Math.min(least, await redisUsedBytes(lab.redis));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return least;
}
