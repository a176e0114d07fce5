import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { withholdData } from '@mailhook/platform/queue';
import { closeRedis, duplicateRedis, whenReady } from '@mailhook/platform/redis';
import {
  ALERTS_KEPT_MS,
  ALERTS_QUEUE,
  DEACTIVATIONS_QUEUE,
  DEAD_LETTERS_KEPT_MS,
  EMAIL_EVENTS_QUEUE,
  ENDING_STATUSES,
  engineQueues,
  REJECTED_EVENTS_QUEUE,
  REJECTED_KEPT_MS,
} from '@mailhook/core';
import { BOARD_PATH } from '@mailhook/console';
import { Installation } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { boardGuard } from './board-guard.ts';
import { maskBody } from './mask-body.ts';

const CONNECT_TIMEOUT_MS = 10_000;

interface BoardQueue {
  readonly name: string;
  readonly prefix: string;
  /** Undefined if all shards share the queue. */
  readonly shard: number | undefined;
  /** A prefix that distinguishes queues with the same name in different shards. */
  readonly shown: string;
  readonly description: string;
  /** Bull Board splits the name here for its menu, so that the engine's queues are grouped by mechanism. */
  readonly delimiter: string;
}

const daysOf = (ms: number): string => `${ms / 86_400_000} days`;

/** What an operator must know about each queue. Bull Board shows it. */
const OWN_QUEUES = {
  [EMAIL_EVENTS_QUEUE]:
    'Events of Redis-fed producers. Delayed: their account keeps too much. Failed: jobs that cannot be accepted.',
  [REJECTED_EVENTS_QUEUE]: `Needs no worker. Rejected events, with their errors, for ${daysOf(REJECTED_KEPT_MS)}.`,
  [DEACTIVATIONS_QUEUE]: `Destinations whose receiver answered ${ENDING_STATUSES}, until the store records it.`,
  [ALERTS_QUEUE]:
    'E-mails and webhooks to customers. Delayed: alerts about failing destinations, at most one a day, and messages ' +
    `that are sent again. Failed: refused by the SMTP server or the webhook, kept for ${daysOf(ALERTS_KEPT_MS)}.`,
} as const;

const ENGINE_QUEUES = {
  chunks: 'Accepted events that are not in a mailbox yet. Failed: not delivered until you retry the job.',
  resends: 'Resends: failed batches and notifications, delayed until their next attempt.',
  parks: 'Parked and paused destinations, delayed until the probe or the end of the pause.',
  deadLetters: `Dead letters, as failed jobs, kept for ${daysOf(DEAD_LETTERS_KEPT_MS)}. Retry one to send it again.`,
} as const;

/** All queues: those of the api, and those of the engine for each mechanism and shard. */
export function boardQueues(installation: Installation): BoardQueue[] {
  const own = Object.entries(OWN_QUEUES).map(([name, description]) => ({
    name,
    prefix: installation.prefix,
    shard: undefined,
    shown: '',
    description,
    delimiter: '',
  }));
  const engine = installation.allKeys().flatMap(({ kind, shard, queuePrefix }) =>
    Object.entries(engineQueues(kind)).map(([role, name]) => ({
      name,
      prefix: queuePrefix,
      shard,
      shown: installation.shards === 1 ? '' : `shard-${shard}-`,
      description: ENGINE_QUEUES[role as keyof typeof ENGINE_QUEUES],
      // Split, the name of a queue of dead letters would be "letters".
      delimiter: role === 'deadLetters' ? '' : '-',
    })),
  );
  return [...own, ...engine];
}

/**
 * Browsers load only what this port serves, so that no other host learns of the board. It also works without internet
 * access.
 */
const ownOriginOnly: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    objectSrc: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'self'"],
  },
});

/** A link of Bull Board's page to the style sheet of a font service. The page then uses a font of the system. */
const FOREIGN_LINK = /<link href="https?:[^>]*>/g;

/**
 * Bull Board without requests to other hosts. Answers a query that Bull Board cannot decode with a 400. Bull Board
 * itself would answer with a 500.
 */
class BoardAdapter extends ExpressAdapter {
  override setEntryRoute(entry: Parameters<ExpressAdapter['setEntryRoute']>[0]): this {
    this.app[entry.method](entry.route, (_request, response, next) => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, html: string) => {
        if (error === null) response.send(html.replaceAll(FOREIGN_LINK, ''));
        else next(error);
      });
    });
    return this;
  }

  override setErrorHandler(handler: Parameters<ExpressAdapter['setErrorHandler']>[0]): this {
    return super.setErrorHandler((error) => ({
      ...handler(error),
      ...(error instanceof URIError ? { status: 400 } : {}),
    }));
  }
}

/** Queues whose jobs nothing works on. */
const WORKERLESS: readonly string[] = [REJECTED_EVENTS_QUEUE];

/** With a list of workers, Bull Board would warn that there are none. */
class WorkerlessAdapter extends BullMQAdapter {
  override getWorkers(): Promise<null> {
    return Promise.resolve(null);
  }
}

/**
 * Bull Board over every queue. All its answers are masked: data, results, errors, names, logs, and fields of later
 * versions. `isReadOnly` is `BULL_BOARD_READ_ONLY`. Resolves when its connection is ready.
 */
export async function createBoard(
  { redis, prefix, shards }: Installation,
  isReadOnly: boolean,
): Promise<Closeable & { readonly handlers: readonly RequestHandler[] }> {
  // The board shows only the size of a large job, because a page of large jobs would not fit into memory.
  const connection = duplicateRedis(redis);
  connection.on('error', () => undefined);
  withholdData(connection, {});
  await whenReady(connection, CONNECT_TIMEOUT_MS);
  const shown = new Installation(connection, prefix, shards);
  const queues = boardQueues(shown).map((one) => ({ ...one, queue: shown.queue(one.name, one.shard) }));
  const serverAdapter = new BoardAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: queues.map(({ queue, shown, description, delimiter }) => {
      const Adapter = WORKERLESS.includes(queue.name) ? WorkerlessAdapter : BullMQAdapter;
      return new Adapter(queue, { prefix: shown, description, delimiter, readOnlyMode: isReadOnly });
    }),
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
    handlers: [ownOriginOnly, serverAdapter.getRouter() as RequestHandler],
    close: async () => {
      await shown.close();
      await closeRedis(connection);
    },
  };
}
