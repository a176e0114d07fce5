import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Ledger } from './ledger.ts';

/** What a `Treat` function sees of a request. */
export interface ReceivedRequest {
  readonly webhookId: string;
  readonly attempt: number;
  /** The key of the first event in the ledger. */
  readonly firstKey: string;
}

/** How the receiver treats a request: it acknowledges after `delayMs`, refuses all of it with a status, or never answers. */
export interface Treatment {
  readonly delayMs: number;
  readonly status?: number;
  /** The length of the body when a request is refused. */
  readonly bodyBytes?: number;
  readonly hangs?: boolean;
  /** Returns true for campaign events that the reply does not acknowledge. */
  readonly leavesOut?: (key: string) => boolean;
}

/** One server for all destinations of a run. It keeps counts and no bodies, so that a long run needs little memory. */
export interface CountingReceiver {
  readonly url: string;
  readonly requests: number;
  /** The most requests in flight at once, by path. */
  readonly peaks: ReadonlyMap<string, number>;
  /** Requests that were refused or not answered. */
  readonly refusals: number;
  /** Requests with a `webhook-attempt` above 1. */
  readonly resends: number;
  /** The `webhook-id` of each request that was refused and not acknowledged later. */
  readonly refused: ReadonlySet<string>;
  /** Sets how requests are treated from now on. */
  treat(treatment: Treat): void;
  close(): Promise<void>;
}

export type Treat = (path: string, request: ReceivedRequest) => Treatment;

/**
 * Confirms the events of each request in the ledger at the moment of the 200. The key of a notification is its path and `messageId`, the key of a
 * campaign event its `email`. Refusals concern the whole request, so that an event keeps its `webhook-id`.
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
    // A connection that waited in the backlog would keep the server from closing.
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

/** Returns the events' keys in the ledger: `email` in a batch, path and `messageId` of a notification. */
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
