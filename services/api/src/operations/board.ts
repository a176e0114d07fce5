import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import type { RequestHandler } from 'express';
import { withholdData } from '@mailhook/platform/queue';
import { closeRedis, duplicateRedis } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import {
  DEACTIVATIONS_QUEUE,
  EMAIL_EVENTS_QUEUE,
  engineQueues,
  mechanism,
  REJECTED_EVENTS_QUEUE,
} from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { boardGuard } from './board-guard.ts';
import { maskBody } from './mask-body.ts';

interface BoardDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly shards: number;
  /** `BULL_BOARD_READ_ONLY`. */
  readonly isReadOnly: boolean;
}

export const BOARD_PATH = '/admin/queues';

interface BoardQueue {
  readonly name: string;
  readonly prefix: string;
  /** A prefix that distinguishes queues with the same name in different shards. */
  readonly shown: string;
  readonly description: string;
  /** Bull Board splits the name here for its menu, so that the engine's queues are grouped by mechanism. */
  readonly delimiter: string;
}

/** What an operator must know about each queue. Bull Board shows it. */
const OWN_QUEUES = {
  [EMAIL_EVENTS_QUEUE]:
    'What producers hand in by Redis. Delayed: held back, because its account has too much waiting.',
  [REJECTED_EVENTS_QUEUE]:
    'Events of Redis-fed producers that were not taken, each with its errors. Kept 7 days; nothing works on them.',
  [DEACTIVATIONS_QUEUE]: 'Destinations that a receiver answered 410 for, on their way to the store.',
} as const;

const ENGINE_QUEUES = {
  chunks: {
    description: 'Accepted events on their way into mailboxes. Failed: set aside, and not delivered until retried.',
    delimiter: '-',
  },
  resends: { description: 'Failed batches and notifications, delayed until they are tried again.', delimiter: '-' },
  parks: { description: 'Parked and paused destinations, delayed until one event is tried.', delimiter: '-' },
  deadLetters: {
    description: 'Failed: what was given up, kept 7 days. Retry one to send it again.',
    delimiter: '-dead-',
  },
} as const;

/** All queues: those of the api, and those of the engine for each mechanism and shard. */
export function boardQueues(prefix: string, shards: number): BoardQueue[] {
  const own = Object.entries(OWN_QUEUES).map(([name, description]) => ({
    name,
    prefix,
    shown: '',
    description,
    delimiter: '',
  }));
  const engine = Array.from({ length: shards }, (_, shard) =>
    mechanism.options.flatMap((kind) =>
      Object.entries(engineQueues(kind)).map(([role, name]) => ({
        name,
        prefix: engineKeys(prefix, shard, kind).queuePrefix,
        shown: shards === 1 ? '' : `shard-${shard}-`,
        ...ENGINE_QUEUES[role as keyof typeof ENGINE_QUEUES],
        ...(shards === 1 ? {} : { delimiter: '-' }),
      })),
    ),
  );
  return [...own, ...engine.flat()];
}

/** Answers a query that Bull Board cannot decode with a 400. Bull Board itself would answer with a 500. */
class BoardAdapter extends ExpressAdapter {
  override setErrorHandler(handler: Parameters<ExpressAdapter['setErrorHandler']>[0]): this {
    return super.setErrorHandler((error) => ({
      ...handler(error),
      ...(error instanceof URIError ? { status: 400 } : {}),
    }));
  }
}

/** Bull Board over every queue. All its answers are masked: data, results, errors, names, logs, and fields of later versions. */
export function createBoard({ redis, prefix, shards, isReadOnly }: BoardDeps): Closeable & { router: RequestHandler } {
  // The board shows only the size of a large job, because a page of large jobs would not fit into memory.
  const connection = duplicateRedis(redis);
  connection.on('error', () => undefined);
  withholdData(connection, {});
  const queues = boardQueues(prefix, shards).map((one) => {
    const queue = new Queue(one.name, { connection, prefix: one.prefix });
    // The connection reports its errors. Without a listener, the event would end the process.
    queue.on('error', () => undefined);
    return { ...one, queue };
  });
  const serverAdapter = new BoardAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: queues.map(
      ({ queue, shown, description, delimiter }) =>
        new BullMQAdapter(queue, { prefix: shown, description, delimiter, readOnlyMode: isReadOnly }),
    ),
    serverAdapter,
    options: {
      uiConfig: { boardTitle: 'Mailhook queues', miscLinks: [] },
      handlerHooks: {
        before: boardGuard(new Map(queues.map(({ queue, shown }) => [`${shown}${queue.name}`, queue]))),
        after: (_context, result) => ({ ...result, body: maskBody(result.body) }) as typeof result,
      },
    },
  });
  return {
    router: serverAdapter.getRouter() as RequestHandler,
    close: async () => {
      await Promise.all([...queues.map(({ queue }) => queue.close()), closeRedis(connection)]);
    },
  };
}
