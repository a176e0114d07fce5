import { spawn } from 'node:child_process';
import type { Mechanism } from '@mailhook/core';
import type { CommandName } from '@mailhook/delivery';
import { bundle } from '../../../scripts/stack/bundles.ts';

export interface DoomedWorkerOptions {
  readonly kind: Mechanism;
  readonly redisUrl: string;
  readonly queuePrefix: string;
  readonly scheduleMs: readonly number[];
  /** The process dies after a reply to this command of the mailbox. Absent: it lives until `kill`. */
  readonly command?: CommandName;
  /** The number of that reply, from 1. Default: 1. */
  readonly call?: number;
  /** How far the worker's clock is ahead of this process's clock. Default: 0. */
  readonly clockAheadMs?: number;
}

/** A worker that kills itself (see `doomed-worker.ts`). */
export interface DoomedWorker {
  /** Resolves with the signal that killed the process, or with null if it ended otherwise. */
  readonly died: Promise<NodeJS.Signals | null>;
  readonly pid: number;
  kill(): void;
}

export async function startDoomedWorker(options: DoomedWorkerOptions): Promise<DoomedWorker> {
  const [program = ''] = await bundle(['test/faults/rig/doomed-worker.ts']);
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    died: new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))),
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
  };
}
