import { setTimeout as wait } from 'node:timers/promises';
import { eventually, fillDisk } from '@mailhook/testing';
import { addedUp, allInFlight, PATIENCE_MS } from './fault-report.ts';
import type { FaultDeps, FaultMeeting } from './fault-report.ts';

type Met = Awaited<ReturnType<typeof allInFlight>>;

/**
 * Kills Redis. Only Redis knows the batches in flight, so workers stay cut off until the test has read them after the
 * restart.
 */
export async function killRedis(deps: FaultDeps): Promise<FaultMeeting> {
  await untilBatchesAreInFlight(deps);
  await deps.stack.redis.kill();
  return { ...(await bringRedisBack(deps)), kills: 1 };
}

/** Fills the disk until Redis fails. With `appendfsync always`, its process ends by itself. */
export async function fillDiskOfRedis(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, load } = deps;
  await untilBatchesAreInFlight(deps);
  fillDisk(stack.redis.pid);
  const refused = load.refused;
  await eventually(() => load.refused > refused, { withinMs: PATIENCE_MS, what: 'a refusal while the disk is full' });
  await stack.redis.kill();
  return { ...(await bringRedisBack(deps)), kills: 0 };
}

async function bringRedisBack(deps: FaultDeps): Promise<Omit<FaultMeeting, 'kills'>> {
  const { stack } = deps;
  stack.proxy.cut();
  // A client that reconnects to a port without a listener may get that same port as its local port, but only briefly.
  await eventually(() => stack.redis.restart().then(() => true), { withinMs: PATIENCE_MS, what: 'Redis again' });
  const met = await eventually(() => allInFlight(deps), { withinMs: PATIENCE_MS, what: 'the state after the crash' });
  stack.proxy.restore();
  return met;
}

/** Cuts all workers off from Redis while the api keeps accepting events. */
export async function cutRedis(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, ledger, random } = deps;
  const inFlight = stack.proxy.connections;
  stack.proxy.cut();
  try {
    const { eventsOf } = await allInFlight(deps);
    const wanted = ledger.accepted + random.between(20, 200);
    await eventually(() => ledger.accepted >= wanted, {
      withinMs: PATIENCE_MS,
      what: 'events accepted during the cut',
    });
    return { kills: 0, inFlight, eventsOf };
  } finally {
    stack.proxy.restore();
  }
}

/** Pauses Redis until requests are refused. */
export async function pauseRedis(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, ledger, load, random } = deps;
  const { inFlight, eventsOf } = await withBatchesInFlight(deps, () => process.kill(stack.redis.pid, 'SIGSTOP'));
  try {
    // Replies from before the pause may still be on their way to the producer. After the first refusal there are none.
    const refusedBefore = load.refused;
    await eventually(() => load.refused > refusedBefore, { withinMs: PATIENCE_MS, what: 'a first refusal' });
    const acceptedBefore = ledger.accepted;
    const refused = load.refused + random.between(3, 10);
    await eventually(() => load.refused >= refused, { withinMs: PATIENCE_MS, what: 'refusals while Redis sleeps' });
    return { kills: 0, inFlight, eventsOf, acceptedDuring: ledger.accepted - acceptedBefore };
  } finally {
    process.kill(stack.redis.pid, 'SIGCONT');
  }
}

/** Stops Redis for 2 s, three times. */
export async function stallRedis(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, random } = deps;
  const met: Met[] = [];
  for (let stall = 0; stall < 3; stall += 1) {
    met.push(await withBatchesInFlight(deps, () => process.kill(stack.redis.pid, 'SIGSTOP')));
    await wait(2000);
    process.kill(stack.redis.pid, 'SIGCONT');
    await untilDelivered(deps, random.between(1, 50));
  }
  return {
    kills: 0,
    inFlight: Math.min(...met.map(({ inFlight }) => inFlight)),
    eventsOf: addedUp(met.map(({ eventsOf }) => eventsOf)),
  };
}

/** Delays everything that workers send to Redis by 200 or 400 ms. */
export async function slowRedis(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, random } = deps;
  const met = await withBatchesInFlight(deps, () => stack.proxy.delayRequests(random.pick([200, 400])));
  try {
    await untilDelivered(deps, random.between(200, 1000));
  } finally {
    stack.proxy.delayRequests(0);
  }
  return { kills: 0, ...met };
}

/**
 * Kills the master, and its replica takes over behind the same address. Pauses writes until the replica has all of
 * them, because replication would lose the last ones.
 */
export async function failOver(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack } = deps;
  await untilBatchesAreInFlight(deps);
  await stack.client.call('CLIENT', 'PAUSE', '20000', 'WRITE');
  const met = await allInFlight(deps);
  await stack.untilReplicated();
  await stack.failOver();
  return { ...met, kills: 1 };
}

/**
 * Begins a fault while batches are in flight, and resolves with them. The workers are stopped meanwhile, so that they
 * start no others.
 */
function withBatchesInFlight(deps: FaultDeps, begin: () => void): Promise<Met> {
  const signal = (name: NodeJS.Signals): void => deps.stack.workers.forEach(({ process: one }) => one.signal(name));
  const tryOnce = async (): Promise<Met | false> => {
    signal('SIGSTOP');
    try {
      const met = await allInFlight(deps);
      if (met.inFlight === 0) return false;
      begin();
      return met;
    } finally {
      signal('SIGCONT');
    }
  };
  return eventually(tryOnce, { withinMs: PATIENCE_MS, what: 'batches in flight' });
}

/** Resolves with the batches in flight as soon as there are some. */
function untilBatchesAreInFlight(deps: FaultDeps): Promise<Met> {
  const read = async () => {
    const met = await allInFlight(deps);
    return met.inFlight > 0 && met;
  };
  return eventually(read, { withinMs: PATIENCE_MS, what: 'batches in flight' });
}

async function untilDelivered({ ledger }: FaultDeps, more: number): Promise<void> {
  const wanted = ledger.delivered + more;
  await eventually(() => ledger.delivered >= wanted, { withinMs: 2 * PATIENCE_MS, what: `${more} more deliveries` });
}
