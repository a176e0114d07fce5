import { spawn } from 'node:child_process';
import type { Mechanism } from '@mailhook/core';
import type { CommandName } from '@mailhook/delivery';
import { bundle } from '../../../scripts/stack/bundles.ts';
import type { ToyFormat } from './toy-format.ts';

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
  /** The format that the worker writes; it reads both. Default: it knows the product's only. */
  readonly toyFormat?: ToyFormat | undefined;
}

/** A worker that kills itself (see `doomed-worker.ts`). */
export interface DoomedWorker {
  /** Resolves with the signal that killed the process, or with null if it ended otherwise. */
  readonly died: Promise<NodeJS.Signals | null>;
  readonly pid: number;
  kill(): void;
  /** Sends SIGTERM. Resolves when the worker has released all it owned, and the process has ended. */
  stop(): Promise<void>;
}

export async function startDoomedWorker(options: DoomedWorkerOptions): Promise<DoomedWorker> {
  const [program = ''] = await bundle(['test/faults/rig/doomed-worker.ts']);
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const died = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  return {
    died,
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      child.kill('SIGTERM');
      await died;
    },
  };
}
