import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { eventually } from './eventually.ts';
import { perform } from './reply-action.ts';
import type { ReplyAction } from './reply-action.ts';

/** A request as the receiver saw it, recorded when its body was whole. */
export interface ReceivedRequest {
  /** `performance.now()` of the test process. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: unknown;
  /** Tells connections apart. */
  readonly remotePort: number;
}

export type Reply = (request: ReceivedRequest) => ReplyAction | Promise<ReplyAction>;

export interface ReceiverOptions {
  /** What is answered; default: what a good receiver of the kind of body would say (see `goodReply`). */
  readonly reply?: Reply;
  /** Default 127.0.0.1; another address of 127.0.0.0/8 plays a public one. */
  readonly host?: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** The far side of a delivery: real HTTP on a free port, with faults on demand. */
export interface FakeReceiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Connections open now, and ever. */
  readonly connections: { readonly open: number; readonly total: number };
  /** From now on answers so. */
  setReply(reply: Reply): void;
  /** Resolves when at least `count` requests have come, with all of them. */
  waitForRequests(count: number, withinMs?: number): Promise<readonly ReceivedRequest[]>;
  /** Resolves when exactly `count` connections are open. */
  waitForOpenConnections(count: number, withinMs?: number): Promise<void>;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/** Acknowledges every event of a batch (mechanism B), passes the connection test, takes a notification (mechanism A). */
export function goodReply(request: ReceivedRequest): ReplyAction {
  const { json } = request;
  if (Array.isArray(json)) return acknowledge(json);
  return { json: { status: 'ok' } };
}

/** Confirms the events of a batch for which `isConfirmed` says so; default: all. */
export function acknowledge(
  events: unknown,
  isConfirmed: (event: { hash: string }, index: number) => boolean = () => true,
): ReplyAction {
  const items = (events as { hash: string }[]).map((event, index) => ({
    hash: event.hash,
    status: isConfirmed(event, index),
  }));
  return { json: items };
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<FakeReceiver> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let total = 0;
  let reply = options.reply ?? goodReply;
  const server = createReceiverServer(options, (incoming, outgoing) => {
    void record(incoming).then(
      async (request) => {
        requests.push(request);
        await perform(await reply(request), outgoing);
      },
      () => undefined,
    );
  });
  // With TLS, 'connection' is the raw socket: it counts before and without a handshake.
  server.on('connection', (socket: Socket) => {
    total += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port ?? 0);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    requests,
    connections: {
      get open() {
        return sockets.size;
      },
      get total() {
        return total;
      },
    },
    setReply: (next) => {
      reply = next;
    },
    async waitForRequests(count, withinMs = 5000) {
      await eventually(() => requests.length >= count, { withinMs, what: `${count} requests at the receiver` });
      return requests;
    },
    async waitForOpenConnections(count, withinMs = 5000) {
      await eventually(() => sockets.size === count, { withinMs, what: `${count} open connections at the receiver` });
    },
    close: () => closeServer(server, sockets),
  };
}

function createReceiverServer(options: ReceiverOptions, listener: RequestListener): Server {
  const limits = { keepAliveTimeout: 30_000, requestTimeout: 0, headersTimeout: 0 };
  return options.tls === undefined
    ? createServer(limits, listener)
    : createTlsServer({ ...limits, ...options.tls }, listener);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

async function record(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    at: performance.now(),
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    text,
    json: parse(text),
    remotePort: incoming.socket.remotePort ?? 0,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type { ReplyAction };
