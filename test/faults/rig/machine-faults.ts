import { eventually, limitMemory } from '@mailhook/testing';
import type { FaultDeps, FaultMeeting } from './fault-report.ts';
import { allInFlight, PATIENCE_MS, WORKER_NAMES } from './fault-report.ts';
import { freeze } from './worker-faults.ts';

/** Lets the kernel's OOM killer kill a worker. Needs root, see `cannotLimitMemory`. */
export async function runOutOfMemory(deps: FaultDeps): Promise<FaultMeeting> {
  const { stack, random, onRestart } = deps;
  const { worker } = await freeze(deps, random.pick(WORKER_NAMES));
  const limit = limitMemory(worker.process.pid);
  worker.process.signal('SIGCONT');
  await eventually(() => limit.kills() > 0, { withinMs: PATIENCE_MS, what: `the OOM kill of a ${worker.name}` });
  // No other worker takes over before the lease ends, so Redis still shows what the worker had in flight when it died.
  const { batches, eventsOf } = await stack.state[worker.name].inFlight(worker.id);
  await stack.killWorker(worker);
  await limit.remove();
  onRestart(stack.startWorker(worker.name));
  return { kills: 1, inFlight: batches, eventsOf };
}

/** Makes the primary of MongoDB step down. Intake and delivery go on without it. */
export async function stepDownMongo(deps: FaultDeps): Promise<FaultMeeting> {
  if (deps.mongo === undefined) throw new Error('the stack has no MongoDB');
  const { inFlight } = await allInFlight(deps);
  await deps.mongo.stepDown();
  return { kills: 0, inFlight, eventsOf: new Map() };
}
