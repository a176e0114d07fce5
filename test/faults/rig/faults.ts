import { eventually } from '@mailhook/testing';
import type { Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import type { Random } from './random.ts';
import type { RunningWorker, Stack, WorkerName } from './stack.ts';

export const FAULTS = [
  'kill notifier',
  'kill batcher',
  'kill api',
  'kill two',
  'kill redis',
  'cut redis',
  'stall worker',
  'pause redis',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** What a fault met, as seen from outside. */
export interface FaultReport {
  readonly fault: FaultName;
  /** Processes that got SIGKILL. */
  readonly kills: number;
  /** What was under way at that moment: frozen batches that were not settled (workers, Redis), or requests without an answer (api). */
  readonly inFlight: number;
  /** Events that got a 202 while Redis was paused; of other faults undefined. */
  readonly acceptedDuring?: number;
}

export interface FaultDeps {
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly load: Load;
  readonly random: Random;
  /** A restart goes on beside the faults that follow; it rejects when the process does not come back. */
  readonly onRestart: (restart: Promise<unknown>) => void;
}

const PATIENCE_MS = 30_000;
export const WORKER_NAMES = ['transactional-notifier', 'campaign-batcher'] as const;

export function inflictFault(fault: FaultName, deps: FaultDeps): Promise<FaultReport> {
  switch (fault) {
    case 'kill notifier':
      return killWorkers(fault, deps, ['transactional-notifier']);
    case 'kill batcher':
      return killWorkers(fault, deps, ['campaign-batcher']);
    case 'kill two':
      return killTwo(fault, deps);
    case 'kill api':
      return killApi(fault, deps);
    case 'kill redis':
      return killRedis(fault, deps);
    case 'cut redis':
      return cutRedis(fault, deps);
    case 'stall worker':
      return stallWorker(fault, deps);
    case 'pause redis':
      return pauseRedis(fault, deps);
  }
}

/** Stops a worker (SIGSTOP) at a moment when it has batches frozen and not settled. */
export async function freeze(
  deps: Pick<FaultDeps, 'stack' | 'random'>,
  name: WorkerName,
): Promise<{ worker: RunningWorker; inFlight: number; events: number }> {
  const { stack, random } = deps;
  return eventually(
    async () => {
      const running = stack.workers.filter((one) => one.name === name && one.process.isRunning);
      if (running.length === 0) return false;
      const worker = random.pick(running);
      worker.process.signal('SIGSTOP');
      const { batches, events } = await stack.state[name].inFlight(worker.id);
      if (batches > 0) return { worker, inFlight: batches, events };
      worker.process.signal('SIGCONT');
      return false;
    },
    { withinMs: PATIENCE_MS, what: `a ${name} with work in flight` },
  );
}

async function killWorkers(fault: FaultName, deps: FaultDeps, names: readonly WorkerName[]): Promise<FaultReport> {
  const frozen = [];
  for (const name of names) frozen.push(await freeze(deps, name));
  await Promise.all(frozen.map(({ worker }) => deps.stack.killWorker(worker)));
  for (const name of names) deps.onRestart(deps.stack.startWorker(name));
  return { fault, kills: names.length, inFlight: Math.min(...frozen.map(({ inFlight }) => inFlight)) };
}

/** One of each worker, or a worker and the api. */
async function killTwo(fault: FaultName, deps: FaultDeps): Promise<FaultReport> {
  if (deps.random.next() < 0.5) return killWorkers(fault, deps, WORKER_NAMES);
  const { worker, inFlight } = await freeze(deps, deps.random.pick(WORKER_NAMES));
  const [api] = await Promise.all([killApi(fault, deps), deps.stack.killWorker(worker)]);
  deps.onRestart(deps.stack.startWorker(worker.name));
  return { fault, kills: 2, inFlight: Math.min(inFlight, api.inFlight) };
}

async function killApi(fault: FaultName, { stack, load }: FaultDeps): Promise<FaultReport> {
  const inFlight = await eventually(() => load.pending > 0 && load.pending, {
    withinMs: PATIENCE_MS,
    what: 'a request under way',
  });
  await stack.restartApi();
  return { fault, kills: 1, inFlight };
}

async function killRedis(fault: FaultName, { stack }: FaultDeps): Promise<FaultReport> {
  const inFlight = await eventually(
    async () => {
      const open = await Promise.all(stack.workers.map(({ name, id }) => stack.state[name].inFlight(id)));
      const batches = open.reduce((sum, one) => sum + one.batches, 0);
      return batches > 0 && batches;
    },
    { withinMs: PATIENCE_MS, what: 'batches in flight' },
  );
  await stack.redis.kill();
  // A client that reconnects to a port without a listener may be given that very port for its own end: it is free again soon.
  await eventually(() => stack.redis.restart().then(() => true), { withinMs: PATIENCE_MS, what: 'Redis again' });
  return { fault, kills: 1, inFlight };
}

async function cutRedis(fault: FaultName, { stack, ledger, random }: FaultDeps): Promise<FaultReport> {
  const inFlight = stack.proxy.connections;
  stack.proxy.cut();
  // Accepted mail piles up meanwhile: the api has a way of its own to Redis.
  const wanted = ledger.accepted + random.between(20, 200);
  await eventually(() => ledger.accepted >= wanted, { withinMs: PATIENCE_MS, what: 'mail accepted during the cut' });
  stack.proxy.restore();
  return { fault, kills: 0, inFlight };
}

/** A worker sleeps until others have everything that it owned, and wakes while they are at work. */
async function stallWorker(fault: FaultName, deps: FaultDeps): Promise<FaultReport> {
  const { stack, random } = deps;
  const name = random.pick(WORKER_NAMES);
  const { worker, inFlight } = await freeze(deps, name);
  await eventually(
    async () => ![...(await stack.state[name].owners()).values()].some((token) => token.startsWith(`${worker.id}.`)),
    { withinMs: PATIENCE_MS, what: `others to take over from the stalled ${name}` },
  );
  worker.process.signal('SIGCONT');
  return { fault, kills: 0, inFlight };
}

async function pauseRedis(fault: FaultName, { stack, ledger, load, random }: FaultDeps): Promise<FaultReport> {
  process.kill(stack.redis.pid, 'SIGSTOP');
  try {
    // What Redis had answered before may still be on its way to the producer; from the first refusal on nothing can be.
    const refusedBefore = load.refused;
    let inFlight = 0;
    const isRefused = (): boolean => {
      inFlight = Math.max(inFlight, load.pending);
      return load.refused > refusedBefore;
    };
    await eventually(isRefused, { withinMs: PATIENCE_MS, what: 'a first refusal' });
    const acceptedBefore = ledger.accepted;
    const refused = load.refused + random.between(3, 10);
    await eventually(() => load.refused >= refused, { withinMs: PATIENCE_MS, what: 'refusals while Redis sleeps' });
    return { fault, kills: 0, inFlight, acceptedDuring: ledger.accepted - acceptedBefore };
  } finally {
    process.kill(stack.redis.pid, 'SIGCONT');
  }
}
