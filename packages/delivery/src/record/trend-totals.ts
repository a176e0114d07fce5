import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Installation } from '../mailbox/installation.ts';
import { trendPlace, TRENDS_KEPT_S } from './trends.ts';

interface TrendTotalsDeps {
  readonly installation: Installation;
  readonly metrics: Metrics;
  readonly onError: (error: Error) => void;
  /** Time between two writes. Default 5 s. */
  readonly everyMs?: number;
}

const EVERY_MS = 5000;

/** The counters that the trends of operators show. */
const COUNTERS = {
  accepted: { metric: 'mailhook_events_accepted_total', labels: {} },
  delivered: { metric: 'mailhook_events_total', labels: { result: 'delivered' } },
} as const;

/**
 * Adds what a counter of this process has risen by to the counts per minute that all processes share. A counter that
 * stands still costs Redis nothing. The last seconds of a process that dies are missing.
 */
export function startTrendTotals(name: keyof typeof COUNTERS, deps: TrendTotalsDeps): Closeable {
  const { installation, metrics, onError, everyMs = EVERY_MS } = deps;
  const { redis } = installation;
  const [keys] = installation.allKeys(['campaign']);
  const { metric, labels } = COUNTERS[name];
  let written = 0;
  const write = async (): Promise<void> => {
    const total = await totalOf(metrics, metric, labels);
    const risen = total - written;
    if (keys === undefined || risen === 0) return;
    written = total;
    const { key, field } = trendPlace(keys, name, Date.now());
    // A new field may be in a new hash.
    if ((await redis.hincrby(key, field, risen)) === risen) await redis.expire(key, TRENDS_KEPT_S);
  };
  const writeOrReport = (): Promise<void> => write().catch((error: unknown) => onError(error as Error));
  const writing = every(everyMs, writeOrReport);
  return {
    close: async () => {
      await writing.close();
      await writeOrReport();
    },
  };
}

/** The sum of the series of a counter that have these labels. */
async function totalOf(metrics: Metrics, name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const read = await metrics.registry.getSingleMetric(name)?.get();
  return (read?.values ?? [])
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
