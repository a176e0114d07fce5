import type { Metrics } from '@mailhook/platform/metrics';

/** The last operations, whose times an operator sees. */
const KEPT = 100;
const SHARE = 0.95;

/** How long operations at the store of the event log take. */
export interface StoreTimes {
  time<Result>(operation: 'put' | 'get' | 'list' | 'delete', work: () => Promise<Result>): Promise<Result>;
  /** 95 of 100 of the last operations took at most this long. Undefined before the first one. */
  p95Ms(): number | undefined;
}

export function createStoreTimes(metrics: Metrics): StoreTimes {
  const seconds = metrics.histogram({
    name: 'mailhook_event_log_store_seconds',
    help: 'Time that an operation of this api at the store of the event log took, also a failed one',
    labels: ['operation'],
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  });
  const last: number[] = [];
  return {
    async time(operation, work) {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        const tookMs = performance.now() - startMs;
        seconds.observe({ operation }, tookMs / 1000);
        last.push(tookMs);
        if (last.length > KEPT) last.shift();
      }
    },
    p95Ms: () => last.toSorted((a, b) => a - b)[Math.ceil(last.length * SHARE) - 1],
  };
}
