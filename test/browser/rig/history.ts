import { createAttemptRecorder, createDeliveryCounter, Installation } from '@mailhook/delivery';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Services } from './services.ts';

const HOUR_MS = 3_600_000;

export type RecordedAttempt = Parameters<ReturnType<typeof createAttemptRecorder>['record']>[0];

/** What an endpoint got in one hour. */
interface HourOfDeliveries {
  readonly attempts: number;
  readonly failed: number;
  /** Of each delivered attempt. */
  readonly events: number;
  readonly replyMs: (attempt: number) => number;
}

interface Past {
  readonly account: string;
  /** By internal id of a destination. `hoursAgo`: 0 is the current hour. */
  readonly deliveries: ReadonlyMap<string, (hoursAgo: number) => HourOfDeliveries>;
  readonly hours: number;
  readonly deadlineMs: number;
  readonly attempts?: readonly RecordedAttempt[];
}

/** Writes the past of an account where workers write it: in the history and in the log of attempts. */
export async function writePast({ redisUrl, prefix }: Services['queues'], past: Past): Promise<void> {
  const redis = connectRedis({ url: redisUrl, role: 'fail-fast', name: 'past', onError: () => undefined });
  await whenReady(redis, 5000);
  const installation = new Installation(redis, prefix, 1);
  const counter = createDeliveryCounter(installation, { onError: () => undefined });
  const { account, deliveries, hours, deadlineMs, attempts = [] } = past;
  const nowMs = Date.now();
  for (let hoursAgo = hours - 1; hoursAgo >= 0; hoursAgo -= 1) {
    const endedAtMs = nowMs - hoursAgo * HOUR_MS;
    for (const [destination, of] of deliveries) {
      const { attempts: delivered, failed, events, replyMs } = of(hoursAgo);
      for (let i = 0; i < delivered; i += 1)
        counter.count(account, destination, { events, isDelivered: true, endedAtMs, replyMs: replyMs(i) });
      for (let i = 0; i < failed; i += 1)
        counter.count(account, destination, { events: 0, isDelivered: false, endedAtMs, replyMs: deadlineMs });
    }
  }
  await counter.close();
  const log = createAttemptRecorder(installation, { onError: () => undefined });
  for (const attempt of attempts) log.record(attempt);
  await log.close();
  await closeRedis(redis);
}
