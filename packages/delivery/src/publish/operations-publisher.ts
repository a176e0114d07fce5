import { hash } from 'node:crypto';
import type { ChunkJob, OperationsMessage } from '@mailhook/core';
import { CHUNK_VERSION, compositeKey, engineQueues, OPERATIONS_ACCOUNT, OPERATIONS_DESTINATION } from '@mailhook/core';
import { readAccountSums } from '../mailbox/accounts.ts';
import { createPublishCommands } from '../mailbox/commands/publish.ts';
import { chunkEntry } from '../mailbox/entry.ts';
import type { Installation } from '../mailbox/installation.ts';
import { CHUNK_JOB_OPTIONS, newChunkId } from './chunk-queue.ts';
import { sharesOf } from './shares.ts';

/** Publishes messages to the operations webhook as transactional events. */
export interface OperationsPublisher {
  /**
   * Resolves when every message is durably enqueued. Rejects while Redis is away or full. A message is dropped if its
   * id was published within `EVENT_ID_WINDOW`, so a repeated call sends each message once.
   */
  publish(messages: readonly OperationsMessage[]): Promise<void>;
  /** Undelivered messages. */
  countWaiting(): Promise<number>;
}

/** The `webhook-id` of a message, which depends only on the words. */
export const operationsMessageId = (...words: readonly (string | number)[]): string =>
  `ops_${hash('sha256', compositeKey(...words), 'base64url').slice(0, 24)}`;

/** @param installation over a connection that fails fast. */
export function createOperationsPublisher(installation: Installation): OperationsPublisher {
  const { redis } = installation;
  const keys = installation.keysOf(OPERATIONS_ACCOUNT, 'transactional');
  const commands = createPublishCommands(redis, keys);
  const queue = installation.queue(engineQueues('transactional').chunks, keys.shard);
  return {
    async publish(messages) {
      if (messages.length === 0) return;
      const entries = messages.map((message) => chunkEntry([`${message.id}\n${JSON.stringify(message)}`], undefined));
      // The chunk worker drops known ids, as it does for producers.
      const ids = messages.map(({ id }) => id);
      const chunk: ChunkJob = {
        v: CHUNK_VERSION,
        acceptedAt: Date.now(),
        groups: [['transactional', OPERATIONS_DESTINATION, OPERATIONS_ACCOUNT, 'f', entries, ids]],
        isCounted: true,
      };
      await Promise.all([
        commands.queued(sharesOf(chunk)),
        queue.add('chunk', chunk, { ...CHUNK_JOB_OPTIONS, jobId: newChunkId() }),
      ]);
    },
    async countWaiting() {
      const { events, queuedEvents } = await readAccountSums(redis, keys, OPERATIONS_ACCOUNT);
      return events + queuedEvents;
    },
  };
}
