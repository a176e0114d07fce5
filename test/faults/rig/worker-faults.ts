import { eventually, startTcpProxy } from '@mailhook/testing';
import { addedUp, PATIENCE_MS, WORKER_NAMES } from './fault-report.ts';
import type { FaultDeps, FaultMeeting } from './fault-report.ts';
import type { InFlight } from './engine-state.ts';
import type { RunningWorker, WorkerName } from './stack.ts';

interface Frozen extends InFlight {
  readonly worker: RunningWorker;
}

/** Stops a worker with SIGSTOP while it has batches in flight. */
export async function freeze(deps: Pick<FaultDeps, 'stack' | 'random'>, name: WorkerName): Promise<Frozen> {
  const { stack, random } = deps;
  return eventually(
    async () => {
      const running = stack.workers.filter((one) => one.name === name && one.process.isRunning);
      if (running.length === 0) return false;
      const worker = random.pick(running);
      worker.process.signal('SIGSTOP');
      const reading = await stack.state[name].inFlight(worker.id);
      if (reading.batches > 0) return { worker, ...reading };
      worker.process.signal('SIGCONT');
      return false;
    },
    { withinMs: PATIENCE_MS, what: `a ${name} with batches in flight` },
  );
}

export async function killWorkers(deps: FaultDeps, names: readonly WorkerName[]): Promise<FaultMeeting> {
  const frozen: Frozen[] = [];
  for (const name of names) frozen.push(await freeze(deps, name));
  await Promise.all(frozen.map(({ worker }) => deps.stack.killWorker(worker)));
  for (const name of names) deps.onRestart(deps.stack.startWorker(name));
  return {
    kills: names.length,
    inFlight: Math.min(...frozen.map(({ batches }) => batches)),
    eventsOf: addedUp(frozen.map(({ eventsOf }) => eventsOf)),
  };
}

/** Kills one worker of each mechanism, or a worker and the api. */
export async function killTwo(deps: FaultDeps): Promise<FaultMeeting> {
  if (deps.random.next() < 0.5) return killWorkers(deps, WORKER_NAMES);
  const { worker, batches, eventsOf } = await freeze(deps, deps.random.pick(WORKER_NAMES));
  const [api] = await Promise.all([killApi(deps), deps.stack.killWorker(worker)]);
  deps.onRestart(deps.stack.startWorker(worker.name));
  return { kills: 2, inFlight: Math.min(batches, api.inFlight), eventsOf };
}

export async function killApi({ stack, load }: FaultDeps): Promise<FaultMeeting> {
  const inFlight = await eventually(() => load.pending > 0 && load.pending, {
    withinMs: PATIENCE_MS,
    what: 'a request in progress',
  });
  await stack.restartApi();
  return { kills: 1, inFlight, eventsOf: new Map() };
}

/** Stops a worker until others have taken over all its destinations, and lets it continue while they work. */
export async function stallWorker(deps: FaultDeps): Promise<FaultMeeting> {
  const name = deps.random.pick(WORKER_NAMES);
  const { worker, batches, eventsOf } = await freeze(deps, name);
  await untilOthersTookOver(deps, worker);
  worker.process.signal('SIGCONT');
  return { kills: 0, inFlight: batches, eventsOf };
}

/**
 * Starts another worker and cuts it off from Redis, but not from receivers, until others have taken over. Then restores
 * the connection.
 */
export async function partitionWorker(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, random } = deps;
  const name = random.pick(WORKER_NAMES);
  const way = await startTcpProxy(stack.redis.port);
  const worker = await stack.startWorker(name, way);
  try {
    await eventually(async () => (await stack.state[name].inFlight(worker.id)).batches > 0, {
      withinMs: PATIENCE_MS,
      what: `a ${name} with batches in flight behind its own network`,
    });
    way.swallow();
    const { batches, eventsOf } = await stack.state[name].inFlight(worker.id);
    await untilOthersTookOver(deps, worker);
    way.restore();
    await eventually(async () => (await stack.state[name].inFlight(worker.id)).batches > 0, {
      withinMs: 2 * PATIENCE_MS,
      what: `the ${name} to work again after the partition`,
    });
    return { kills: 0, inFlight: batches, eventsOf };
  } finally {
    await stack.stopWorker(worker);
    await way.close();
  }
}

async function untilOthersTookOver({ stack }: FaultDeps, { name, id }: RunningWorker): Promise<void> {
  await eventually(
    async () => ![...(await stack.state[name].owners()).values()].some((token) => token.startsWith(`${id}_`)),
    { withinMs: PATIENCE_MS, what: `others to take over from the ${name}` },
  );
}
