import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Sickness = 'slow' | 'failing' | 'flooding' | 'slow DNS';
export type Treatment = Sickness | 'healthy';

const SLOW_MS = 2000;
/** More than a worker reads of a reply. */
const FLOOD = Buffer.alloc(1_500_000, '[');

export interface NeighborReceiver {
  readonly port: number;
  /** Requests so far, by path. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * One server for all destinations of a comparison. The first part of a path is the treatment. A healthy reply closes its connection, so that the next
 * request needs a lookup.
 */
export async function startNeighborReceiver(
  onHealthyEvent: (key: string, atMs: number) => void,
): Promise<NeighborReceiver> {
  const requests = new Map<string, number>();
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();

  const answer = (treatment: Treatment, text: string, reply: ServerResponse): void => {
    if (treatment === 'failing') {
      reply.writeHead(503).end();
    } else if (treatment === 'flooding') {
      reply.writeHead(200, { 'content-type': 'application/json' }).end(FLOOD);
    } else if (treatment === 'slow') {
      timers.add(setTimeout(() => reply.end(acknowledgement(text)), SLOW_MS));
    } else {
      const atMs = performance.now();
      for (const key of keysOf(text)) onHealthyEvent(key, atMs);
      reply.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(acknowledgement(text));
    }
  };

  const server = createServer((request, reply) => {
    const path = request.url ?? '';
    requests.set(path, (requests.get(path) ?? 0) + 1);
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.once('end', () => answer(path.split('/')[1] as Treatment, text, reply));
    reply.on('error', () => undefined);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Body = { readonly messageId: string } | readonly { readonly email: string; readonly hash: string }[];

function keysOf(text: string): string[] {
  const body = JSON.parse(text) as Body;
  return 'messageId' in body ? [body.messageId] : body.map(({ email }) => email);
}

function acknowledgement(text: string): string {
  const body = JSON.parse(text) as Body;
  return 'messageId' in body ? '{}' : JSON.stringify(body.map(({ hash }) => ({ hash, status: true })));
}
