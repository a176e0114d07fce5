import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Ledger } from './ledger.ts';

/** What is done with a request: answered well after `delayMs`, refused whole with a status, or never answered. */
export interface Treatment {
  readonly delayMs: number;
  readonly status?: number;
  readonly hangs?: boolean;
}

/** All the destinations of a run in one server: it keeps counts, never bodies, so that a long run stays small. */
export interface CountingReceiver {
  readonly url: string;
  readonly requests: number;
  /** Most requests of one path under way at once, by path. */
  readonly peaks: ReadonlyMap<string, number>;
  /** From now on, by path. */
  treat(treatment: (path: string) => Treatment): void;
  close(): Promise<void>;
}

/**
 * Confirms in the ledger what it answers with 200, at the moment it answers. Keys: a notification's path and `messageId`, a campaign event's `email`.
 * Refusals refuse the whole request, so that an event keeps its `webhook-id` whatever happens.
 */
export async function startCountingReceiver(
  ledger: Pick<Ledger, 'confirm'>,
  first: (path: string) => Treatment = () => ({ delayMs: 0 }),
): Promise<CountingReceiver> {
  let treatment = first;
  let requests = 0;
  const peaks = new Map<string, number>();
  const underWay = new Map<string, number>();
  const sockets = new Set<Socket>();

  const answer = (path: string, text: string, webhookId: string, how: Treatment, reply: ServerResponse): void => {
    if (how.hangs === true) return;
    if (how.status !== undefined) {
      reply.writeHead(how.status).end();
      return;
    }
    const body: unknown = JSON.parse(text);
    if (Array.isArray(body)) {
      const events = body as { email: string; hash: string }[];
      for (const { email } of events) ledger.confirm(email, webhookId);
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(events.map(({ hash }) => ({ hash, status: true }))));
      return;
    }
    ledger.confirm(`${path} ${(body as { messageId: string }).messageId}`, webhookId);
    reply.writeHead(200).end();
  };

  const take = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    requests += 1;
    const now = (underWay.get(path) ?? 0) + 1;
    underWay.set(path, now);
    if (now > (peaks.get(path) ?? 0)) peaks.set(path, now);
    reply.once('close', () => underWay.set(path, (underWay.get(path) ?? 1) - 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const how = treatment(path);
    const webhookId = String(request.headers['webhook-id']);
    setTimeout(() => answer(path, Buffer.concat(chunks).toString(), webhookId, how, reply), how.delayMs);
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
