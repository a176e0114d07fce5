import { spawn } from 'node:child_process';
import type { Mechanism } from '@mailhook/core';
import { bundleOf, DOOMED_WORKER } from './bundle.ts';

export interface DoomedWorkerOptions {
  readonly kind: Mechanism;
  readonly redisUrl: string;
  readonly queuePrefix: string;
  readonly scheduleMs: readonly number[];
  /** The ioredis command after whose reply the process dies, such as `mailhookNext`; absent: it lives until `kill`. */
  readonly script?: string;
  /** The number of that reply, from 1. */
  readonly call?: number;
  /** How far the worker's clock is ahead of this process's clock. Default: 0. */
  readonly clockAheadMs?: number;
}

/** A worker that will kill itself (see `doomed-worker.ts`). */
export interface DoomedWorker {
  /** Resolves with the signal it died of; null when it ended in another way. */
  readonly died: Promise<NodeJS.Signals | null>;
  readonly pid: number;
  kill(): void;
}

export function startDoomedWorker(options: DoomedWorkerOptions): DoomedWorker {
  const child = spawn(process.execPath, [bundleOf(DOOMED_WORKER), JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    died: new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))),
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
  };
}
