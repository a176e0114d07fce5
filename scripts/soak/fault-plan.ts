import type { FaultName } from '../../test/faults/rig/faults.ts';
import type { Random } from '../../test/faults/rig/random.ts';

/** Shares of all SIGKILLs. `kill two` counts as two. The rest are kills of a notifier. */
const KILLS = {
  'kill batcher': 0.22,
  'kill two': 0.18,
  'kill api': 0.1,
  'kill redis': 0.06,
  'fail over': 0.03,
  'out of memory': 0.02,
} as const satisfies Partial<Record<FaultName, number>>;

const WITHOUT_KILL = [
  'cut redis',
  'stall worker',
  'pause redis',
  'partition worker',
  'stall redis',
  'slow redis',
  'fill disk',
  'step down mongo',
] as const satisfies readonly FaultName[];

/** Each fault without a SIGKILL happens once per this number of SIGKILLs. */
const KILLS_PER_OTHER_FAULT = 30;

/**
 * Plans the faults of a run in random order: `kills` SIGKILLs, and each other fault at least once. Leaves out
 * impossible faults.
 */
export function planFaults(kills: number, random: Random, impossible: ReadonlySet<FaultName>): FaultName[] {
  const plan: FaultName[] = [];
  const add = (fault: FaultName, times: number): void => {
    if (!impossible.has(fault)) for (let i = 0; i < times; i += 1) plan.push(fault);
  };
  for (const [fault, share] of Object.entries(KILLS) as [FaultName, number][])
    add(fault, Math.max(1, Math.round(kills * share)));
  const counted = plan.reduce((sum, fault) => sum + (fault === 'kill two' ? 2 : 1), 0);
  add('kill notifier', Math.max(0, kills - counted));
  for (const fault of WITHOUT_KILL) add(fault, Math.max(1, Math.round(kills / KILLS_PER_OTHER_FAULT)));
  return random.shuffled(plan);
}
