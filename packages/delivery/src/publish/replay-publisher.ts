import type { ChunkJob, ProducerEvent, Route } from '@mailhook/core';
import { engineQueues, KINDS } from '@mailhook/core';
import { PROGRESS_KEPT_S } from '../mailbox/constants.ts';
import { createPublishCommands } from '../mailbox/commands/publish.ts';
import { replayJobId } from '../mailbox/keys.ts';
import type { Installation } from '../mailbox/installation.ts';
import { ChunkBuilder, notificationStem } from './chunk.ts';
import { CHUNK_JOB_OPTIONS } from './chunk-queue.ts';
import { sha256 } from './digest.ts';
import { sharesOf } from './shares.ts';

/** Events that a replay sends to one destination again. */
interface ReplayPage {
  /** Letters and digits. */
  readonly replay: string;
  /**
   * The number of the page. A repeated call with the same number is without effect, for 8 days if it is the last page.
   */
  readonly page: number;
  readonly route: Route;
  /** Of one account and module. */
  readonly events: readonly ReplayedEvent[];
}

/** An event of the event log: the chunk that it came with, and its position there. */
interface ReplayedEvent {
  readonly event: ProducerEvent;
  readonly chunk: string;
  readonly number: number;
}

export interface ReplayPublisher {
  /** Resolves when the events are durably enqueued. Rejects while Redis is away or full. */
  publish(page: ReplayPage): Promise<void>;
}

/**
 * Publishes pages of replays. Their chunks carry no ids of producers, which would make them duplicates, and the event
 * log keeps none of them again.
 */
export const createReplayPublisher = (installation: Installation): ReplayPublisher => ({
  async publish({ replay, page, route, events }) {
    const [first] = events;
    if (first === undefined) return;
    const { account, module } = first.event;
    const keys = installation.keysOf(account, KINDS[module]);
    const builder = new ChunkBuilder(replayJobId(replay, page), sha256, { replay });
    for (const { event, chunk, number } of events) {
      // The stem of the first notification names the event in outcomes.
      const stem = `${notificationStem(chunk, number)}_${replay}`;
      builder.add({ event, destinations: [route] }, undefined, stem);
    }
    const chunk = builder.build(Date.now());
    const groups = chunk.groups.map((group) => group.with(5, null) as typeof group);
    const job: ChunkJob = { ...chunk, groups, isCounted: true, isRepeatable: true };
    const queue = installation.queue(engineQueues(keys.kind).chunks, keys.shard);
    await Promise.all([
      createPublishCommands(installation.redis, keys).queued(sharesOf(job)),
      queue.add('chunk', job, { ...CHUNK_JOB_OPTIONS, jobId: builder.id }),
      // Only the last page may be published again.
      installation.redis.expire(keys.progress(replayJobId(replay, page - 1)), PROGRESS_KEPT_S),
    ]);
  },
});
