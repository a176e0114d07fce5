import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const LATE_TIMERS = path.resolve('scripts/checks/late-timers.cjs');

/** The environment of a process whose timers fire late. Processes that it starts inherit the jitter. */
export const withLateTimers = (env: NodeJS.ProcessEnv, seed: number): NodeJS.ProcessEnv => ({
  ...env,
  TEST_TIMER_SEED: String(seed),
  NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(LATE_TIMERS)}`.trim(),
});

export interface BusyLoops {
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** A loop ends with its parent, so that a killed test run leaves no loops behind. */
const LOOP = 'const parent = process.ppid; while (process.ppid === parent);';

/** Starts processes that each use one core. */
export function startBusyLoops(count: number): BusyLoops {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }));
  return {
    pids: loops.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(loops.map(end));
    },
  };
}

async function end(loop: ChildProcess): Promise<void> {
  if (loop.exitCode !== null || loop.signalCode !== null) return;
  const gone = once(loop, 'exit');
  loop.kill('SIGKILL');
  await gone;
}
