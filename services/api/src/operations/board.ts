import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import type { RequestHandler } from 'express';
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
}

export const BOARD_PATH = '/admin/queues';

interface BoardQueue {
  readonly name: string;
  readonly prefix: string;
  /** Tells the shards' queues of one name apart. */
  readonly shown: string;
}

/** Every queue there is: the producers', and the engine's of both mechanisms and each shard. */
export function boardQueues(prefix: string, shards: number): BoardQueue[] {
  const own = [EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE, DEACTIVATIONS_QUEUE];
  const engine = Array.from({ length: shards }, (_, shard) =>
    mechanism.options.flatMap((kind) =>
      Object.values(engineQueues(kind)).map((name) => ({
        name,
        prefix: engineKeys(prefix, shard, kind).queuePrefix,
        shown: shards === 1 ? '' : `shard-${shard}-`,
      })),
    ),
  );
  return [...own.map((name) => ({ name, prefix, shown: '' })), ...engine.flat()];
}

/** Bull Board over every queue. Whatever it answers is masked: data, results, errors, names, logs, and what later versions may add. */
export function createBoard({ redis, prefix, shards }: BoardDeps): Closeable & { router: RequestHandler } {
  const queues = boardQueues(prefix, shards).map((one) => {
    const queue = new Queue(one.name, { connection: redis, prefix: one.prefix });
    // Reported where the connection is made; without a listener it would end the process.
    queue.on('error', () => undefined);
    return { queue, shown: one.shown };
  });
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: queues.map(({ queue, shown }) => new BullMQAdapter(queue, { prefix: shown })),
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
      await Promise.all(queues.map(({ queue }) => queue.close()));
    },
  };
}
