import { readFileSync } from 'node:fs';
import { eventually } from '@mailhook/testing';
import type { RunningWorker } from './stack.ts';

/** The longest time in which a worker replaces all silently dead connections, on a busy machine. */
const READY_WITHIN_MS = 60_000;

/** Reads why a worker is not ready. Empty while it is ready. */
export async function reasonsOf(worker: RunningWorker): Promise<readonly string[]> {
  const reply = await read(worker, '/readyz');
  const { reasons = [] } = (await reply.json()) as { reasons?: string[] };
  if (reply.ok !== (reasons.length === 0)) throw new Error(`${reply.status} with ${reasons.length} reasons`);
  return reasons;
}

/** Counts a worker's requests to receivers that have ended. */
export async function endedRequests(worker: RunningWorker): Promise<number> {
  const text = await (await read(worker, '/metrics')).text();
  const counts = [...text.matchAll(/^mailhook_deliveries_total\{[^}]*\} (\d+)$/gm)];
  if (counts.length === 0) throw new Error('no counts of deliveries');
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

export const untilReady = (workers: readonly RunningWorker[]): Promise<unknown> =>
  Promise.all(
    workers.map((worker) =>
      eventually(async () => (await reasonsOf(worker)).length === 0, {
        withinMs: READY_WITHIN_MS,
        what: `${worker.name} to be ready`,
      }),
    ),
  );

function read({ process: child }: RunningWorker, path: string): Promise<Response> {
  const [, port] = /(?:^|\0)OPS_PORT=(\d+)/.exec(readFileSync(`/proc/${child.pid}/environ`, 'utf8')) ?? [];
  return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(20_000) });
}
