import { readFileSync } from 'node:fs';
import { eventually } from '@mailhook/testing';
import type { RunningWorker } from './stack.ts';

/** Why a worker says that it is not ready. Empty while it is ready. */
export async function reasonsOf({ process: child }: RunningWorker): Promise<readonly string[]> {
  const [, port] = /(?:^|\0)OPS_PORT=(\d+)/.exec(readFileSync(`/proc/${child.pid}/environ`, 'utf8')) ?? [];
  const reply = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(20_000) });
  const { reasons = [] } = (await reply.json()) as { reasons?: string[] };
  if (reply.ok !== (reasons.length === 0)) throw new Error(`${reply.status} with ${reasons.length} reasons`);
  return reasons;
}

export const untilReady = (workers: readonly RunningWorker[]): Promise<unknown> =>
  Promise.all(
    workers.map((worker) =>
      eventually(async () => (await reasonsOf(worker)).length === 0, {
        withinMs: 30_000,
        what: `${worker.name} to be ready`,
      }),
    ),
  );
