import { statfs } from 'node:fs/promises';
import type { LogCommands } from '@mailhook/delivery';
import type { EventLog, LogExtent } from '@mailhook/event-log';
import type { Metrics } from '@mailhook/platform/metrics';
import { shareReading } from '@mailhook/platform/metrics';
import type { LogObserver } from './closer.ts';

interface LogMetrics {
  readonly observe: LogObserver;
  /** What the store holds, read at most a minute ago. Undefined if it did not answer. */
  readonly readExtent: () => Promise<LogExtent | undefined>;
}

interface LogMetricsDeps {
  readonly shards: readonly Pick<LogCommands, 'readWaiting'>[];
  readonly log: Pick<EventLog, 'extent' | 'probe'>;
  /** Undefined for a log in a bucket. */
  readonly folder: string | undefined;
}

/** The metrics of an event log that is on. Those of the buffers are the same in all replicas. */
export function addLogMetrics(metrics: Metrics, { shards, log, folder }: LogMetricsDeps): LogMetrics {
  const read = shareReading(() => Promise.all(shards.map((commands) => commands.readWaiting())));
  const ofShards = (name: `mailhook_${string}`, help: string, valueOf: (one: Waiting) => number): void =>
    void metrics.gauge({
      name,
      help,
      labels: ['shard'],
      collect: async (gauge) => {
        for (const [shard, one] of ((await read()) ?? []).entries()) gauge.set({ shard }, valueOf(one));
      },
    });
  ofShards(
    'mailhook_event_log_buffer_bytes',
    'Bytes in Redis that wait to be written into the event log',
    ({ bytes }) => bytes,
  );
  ofShards(
    'mailhook_event_log_spool_ratio',
    'Used share of the bytes that may wait in Redis to be written into the event log (EVENT_LOG_SPOOL)',
    ({ bytes, maxBytes }) => (maxBytes === 0 ? 0 : bytes / maxBytes),
  );
  ofShards(
    'mailhook_event_log_oldest_unwritten_seconds',
    'Age of the oldest event or outcome that waits to be written into the event log',
    ({ sinceMs }) => (sinceMs === undefined ? 0 : Math.max(0, Date.now() - sinceMs) / 1000),
  );
  const readExtent = askNowAndThen<LogExtent>(() => log.extent());
  addExtentMetrics(metrics, readExtent);
  addProbeMetrics(metrics, log);
  if (folder !== undefined) addFolderMetrics(metrics, folder);
  const written = metrics.counter({
    name: 'mailhook_event_log_events_total',
    help: 'Accepted events that this api has written into the event log',
  });
  const gaps = metrics.counter({
    name: 'mailhook_event_log_gap_events_total',
    help: 'Accepted events that the event log does not have, because they found no room in Redis',
  });
  const failures = metrics.counter({
    name: 'mailhook_event_log_store_failures_total',
    help: 'Failed reads and writes of this api at the store of the event log, with damaged parts that it found',
  });
  const observe: LogObserver = {
    closed(events, gapEvents) {
      written.inc(events);
      gaps.inc(gapEvents);
    },
    failed: () => failures.inc(),
  };
  return { observe, readExtent };
}

type Waiting = Awaited<ReturnType<LogCommands['readWaiting']>>;

/** Counting lists all objects of the store, and a probe puts one. */
const ASK_EVERY_MS = 60_000;

/** The last answer of the store, undefined if it failed. */
function askNowAndThen<Answer>(ask: () => Promise<Answer>): () => Promise<Answer | undefined> {
  let last: { readonly atMs: number; readonly answer: Promise<Answer | undefined> } | undefined;
  return () => {
    const nowMs = Date.now();
    if (last === undefined || Math.abs(nowMs - last.atMs) >= ASK_EVERY_MS)
      last = { atMs: nowMs, answer: ask().catch(() => undefined) };
    return last.answer;
  };
}

function addProbeMetrics(metrics: Metrics, log: Pick<EventLog, 'probe'>): void {
  const probe = askNowAndThen(() => log.probe());
  metrics.gauge({
    name: 'mailhook_event_log_store_usable',
    help: 'Whether the store of the event log lets this api put, read, list and delete',
    collect: async (gauge) => gauge.set((await probe()) === undefined ? 0 : 1),
  });
  metrics.gauge({
    name: 'mailhook_event_log_clock_skew_seconds',
    help: 'How much later the clock of the store of the event log is than that of Redis',
    collect: async (gauge) => {
      const found = await probe();
      if (found !== undefined) gauge.set(found.clockDifferenceMs / 1000);
    },
  });
  metrics.gauge({
    name: 'mailhook_event_log_keeps_deleted',
    help: 'Whether the bucket of the event log keeps deleted bytes, by versions or a lock. Absent if it does not say',
    collect: async (gauge) => {
      const keeps = (await probe())?.keepsDeleted;
      if (keeps !== undefined) gauge.set(keeps ? 1 : 0);
    },
  });
}

function addExtentMetrics(metrics: Metrics, read: LogMetrics['readExtent']): void {
  const ofStore = (name: `mailhook_${string}`, help: string, valueOf: (extent: LogExtent) => number): void =>
    void metrics.gauge({
      name,
      help,
      collect: async (gauge) => {
        const extent = await read();
        if (extent !== undefined) gauge.set(valueOf(extent));
      },
    });
  ofStore('mailhook_event_log_segments', 'Objects of the event log', ({ segments }) => segments);
  ofStore('mailhook_event_log_stored_bytes', 'Bytes of the event log in its store', ({ bytes }) => bytes);
  ofStore(
    'mailhook_event_log_oldest_stored_seconds',
    'Age of the oldest stored event of the event log',
    ({ oldestMs }) => (oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1000),
  );
}

function addFolderMetrics(metrics: Metrics, folder: string): void {
  metrics.gauge({
    name: 'mailhook_event_log_free_bytes',
    help: 'Free bytes of the disk with the folder of the event log',
    collect: async (gauge) => {
      const disk = await statfs(folder).catch(() => undefined);
      if (disk !== undefined) gauge.set(disk.bavail * disk.bsize);
    },
  });
}
