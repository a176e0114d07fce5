import type { FaultDeps, FaultMeeting, FaultReport } from './fault-report.ts';
import * as machine from './machine-faults.ts';
import * as redis from './redis-faults.ts';
import * as workers from './worker-faults.ts';

const INFLICT = {
  'kill notifier': (deps) => workers.killWorkers(deps, ['transactional-notifier']),
  'kill batcher': (deps) => workers.killWorkers(deps, ['campaign-batcher']),
  'kill api': workers.killApi,
  'kill two': workers.killTwo,
  'kill redis': redis.killRedis,
  'cut redis': redis.cutRedis,
  'stall worker': workers.stallWorker,
  'pause redis': redis.pauseRedis,
  'partition worker': workers.partitionWorker,
  'stall redis': redis.stallRedis,
  'slow redis': redis.slowRedis,
  'fill disk': redis.fillDiskOfRedis,
  'fail over': redis.failOver,
  'out of memory': machine.runOutOfMemory,
  'step down mongo': machine.stepDownMongo,
} as const satisfies Readonly<Record<string, (deps: FaultDeps) => Promise<FaultMeeting>>>;

export type FaultName = keyof typeof INFLICT;

/** Faults that every stack of the rig can suffer. */
export const FAULTS = [
  'kill notifier',
  'kill batcher',
  'kill api',
  'kill two',
  'kill redis',
  'cut redis',
  'stall worker',
  'pause redis',
  'partition worker',
  'stall redis',
  'slow redis',
] as const satisfies readonly FaultName[];

export async function inflictFault(fault: FaultName, deps: FaultDeps): Promise<FaultReport<FaultName>> {
  const fromMs = performance.now();
  const met = await INFLICT[fault](deps);
  return { ...met, fault, fromMs, untilMs: performance.now() };
}
