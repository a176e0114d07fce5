import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Ledger } from './ledger.ts';

/** A request as a treatment sees it. */
export interface ReceivedRequest {
  readonly webhookId: string;
  readonly attempt: number;
  /** The first event's key in the ledger. */
  readonly firstKey: string;
}

/** How a request is answered: acknowledged after `delayMs`, refused whole with a status, or never. */
export interface Treatment {
  readonly delayMs: number;
  readonly status?: number;
  /** The length of a refusal's body. */
  readonly bodyBytes?: number;
  readonly hangs?: boolean;
  /** Campaign events that the answer leaves out. */
  readonly leavesOut?: (key: string) => boolean;
}

/** All the destinations of a run in one server: it keeps counts, never bodies, so that a long run stays small. */
export interface CountingReceiver {
  readonly url: string;
  readonly requests: number;
  /** Most requests of one path under way at once, by path. */
  readonly peaks: ReadonlyMap<string, number>;
  /** Requests that were refused or not answered. */
  readonly refusals: number;
  /** Requests that were not the first with their `webhook-id`, by their own account. */
  readonly resends: number;
  /** Every `webhook-id` with a refused request that was not followed by an acknowledged one. */
  readonly refused: ReadonlySet<string>;
  /** From now on, by path. */
  treat(treatment: Treat): void;
  close(): Promise<void>;
}

export type Treat = (path: string, request: ReceivedRequest) => Treatment;

/**
 * Confirms in the ledger what it answers with 200, at the moment it answers. Keys: a notification's path and `messageId`, a campaign event's `email`.
 * Refusals refuse the whole request, so that an event keeps its `webhook-id` whatever happens.
 */
export async function startCountingReceiver(
  ledger: Pick<Ledger, 'confirm'>,
  first: Treat = () => ({ delayMs: 0 }),
): Promise<CountingReceiver> {
  let treatment = first;
  let [requests, refusals, resends] = [0, 0, 0];
  const refused = new Set<string>();
  const peaks = new Map<string, number>();
  const underWay = new Map<string, number>();
  const sockets = new Set<Socket>();

  const answer = (path: string, { body, webhookId }: Parsed, how: Treatment, reply: ServerResponse): void => {
    if (how.hangs === true || how.status !== undefined) {
      refusals += 1;
      refused.add(webhookId);
      if (how.status !== undefined) reply.writeHead(how.status).end('x'.repeat(how.bodyBytes ?? 0));
      return;
    }
    refused.delete(webhookId);
    const events = isBatch(body) ? body.filter(({ email }) => how.leavesOut?.(email) !== true) : body;
    for (const key of keysOf(path, events)) ledger.confirm(key, webhookId, path);
    if (!isBatch(events)) {
      reply.writeHead(200).end();
      return;
    }
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(events.map(({ hash }) => ({ hash, status: true }))));
  };

  const take = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    requests += 1;
    const now = (underWay.get(path) ?? 0) + 1;
    underWay.set(path, now);
    if (now > (peaks.get(path) ?? 0)) peaks.set(path, now);
    reply.once('close', () => underWay.set(path, (underWay.get(path) ?? 1) - 1));
    const parsed = await parse(request);
    if (parsed.attempt > 1) resends += 1;
    const how = treatment(path, { ...parsed, firstKey: keysOf(path, parsed.body)[0] ?? '' });
    setTimeout(() => answer(path, parsed, how, reply), how.delayMs);
  };

  const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0 }, (request, reply) => {
    take(request, reply).catch(() => reply.destroy());
  });
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    // One that had been waiting to be accepted: it would keep the server from closing.
    if (isClosing) socket.destroy();
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    get refusals() {
      return refusals;
    },
    get resends() {
      return resends;
    },
    refused,
    peaks,
    treat: (next) => {
      treatment = next;
    },
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface ReceivedEvent {
  readonly email: string;
  readonly messageId: string;
  readonly hash: string;
}

interface Parsed {
  readonly webhookId: string;
  readonly attempt: number;
  readonly body: ReceivedEvent | readonly ReceivedEvent[];
}

/** A batch's events are told apart by `email`, notifications by path and `messageId`. */
const keysOf = (path: string, body: Parsed['body']): string[] =>
  isBatch(body) ? body.map(({ email }) => email) : [`${path} ${body.messageId}`];

const isBatch = (body: Parsed['body']): body is readonly ReceivedEvent[] => Array.isArray(body);

async function parse(request: IncomingMessage): Promise<Parsed> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    webhookId: String(request.headers['webhook-id']),
    attempt: Number(request.headers['webhook-attempt']),
    body: JSON.parse(Buffer.concat(chunks).toString()) as Parsed['body'],
  };
}
