import { setTimeout } from 'node:timers/promises';
import type { InstallationReport } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import type { LogExtent } from '@mailhook/event-log';
import type { LogObserver } from './closer.ts';
import type { StoreTimes } from './store-times.ts';

/** What operators see of the store of the event log. */
export type StoredFacts = Pick<
  NonNullable<InstallationReport['eventLog']>,
  'storedBytes' | 'segments' | 'oldestAt' | 'gapEvents' | 'storeP95Ms'
>;

interface StoredFactsDeps {
  readonly installation: Installation;
  readonly times: StoreTimes;
  readonly readExtent: () => Promise<LogExtent | undefined>;
  readonly retentionMs: number;
}

/** A page of operators waits no longer for the store. */
const ANSWER_MS = 1000;

export function createStoredFacts({ installation, times, readExtent, retentionMs }: StoredFactsDeps) {
  const { redis, prefix } = installation;
  const gaps = `${prefix}:log-gap-events`;
  const noteGaps = (events: number) => redis.multi().incrby(gaps, events).pexpire(gaps, retentionMs).exec();
  return {
    /** Also counts the events in gaps, for all apis. */
    noting: (observe: LogObserver): LogObserver => ({
      ...observe,
      closed(events, gapEvents) {
        observe.closed(events, gapEvents);
        if (gapEvents > 0) noteGaps(gapEvents).catch(() => undefined);
      },
    }),
    /** Rejects while Redis is away. */
    async read(): Promise<StoredFacts> {
      const timeout = new AbortController();
      const late = setTimeout(ANSWER_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
      const [extent, gapEvents] = await Promise.all([Promise.race([readExtent(), late]), redis.get(gaps)]);
      timeout.abort();
      return {
        storedBytes: extent?.bytes ?? null,
        segments: extent?.segments ?? null,
        oldestAt: extent?.oldestMs === undefined ? null : new Date(extent.oldestMs).toISOString(),
        gapEvents: Number(gapEvents ?? 0),
        storeP95Ms: times.p95Ms() ?? null,
      };
    },
  };
}
