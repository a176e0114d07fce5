import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { eventually } from './eventually.ts';
import { perform } from './reply-action.ts';
import type { ReplyAction } from './reply-action.ts';

/** A request as the receiver saw it, recorded when its body was complete. */
export interface ReceivedRequest {
  /** `performance.now()` of the test process. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body. Undefined if it is not JSON. */
  readonly json: unknown;
  /** The client's port. It identifies the connection. */
  readonly remotePort: number;
  /** Resolves when the reply is sent or the connection is closed. */
  readonly over: Promise<void>;
}

export type Reply = (request: ReceivedRequest) => ReplyAction | Promise<ReplyAction>;

export interface ReceiverOptions {
  /** The reply to each request (default: `goodReply`). */
  readonly reply?: Reply;
  /** False for long runs, whose requests would fill the memory. `requests` then stays empty (default: true). */
  readonly keepsRequests?: boolean;
  /** Default 127.0.0.1. Another address of 127.0.0.0/8 can play a public one. */
  readonly host?: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A receiver for tests: a real HTTP server on a free port, with faults on demand. */
export interface FakeReceiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Number of connections that are open now, and of all so far. */
  readonly connections: { readonly open: number; readonly total: number };
  /** Sets the reply to all later requests. */
  setReply(reply: Reply): void;
  /** Resolves with all requests as soon as there are at least `count`. */
  waitForRequests(count: number, withinMs?: number): Promise<readonly ReceivedRequest[]>;
  /** Resolves when exactly `count` connections are open. */
  waitForOpenConnections(count: number, withinMs?: number): Promise<void>;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/**
 * The reply of a correct receiver: acknowledges every event of a campaign batch, passes the connection test, accepts a
 * notification.
 */
export function goodReply(request: ReceivedRequest): ReplyAction {
  const { json } = request;
  if (Array.isArray(json)) return acknowledge(json);
  return { json: { status: 'ok' } };
}

/**
 * Acknowledges the events of a batch for which `isConfirmed` returns true (default: all). The others get
 * `status: false`.
 */
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
    const over = new Promise<void>((resolve) => outgoing.once('close', resolve));
    void record(incoming, over).then(
      async (request) => {
        if (options.keepsRequests !== false) requests.push(request);
        await perform(await reply(request), outgoing);
      },
      () => undefined,
    );
  });
  // With TLS, 'connection' reports the raw socket, so a connection counts even without a handshake.
  server.on('connection', (socket: Socket) => {
    total += 1;
    // A connection that waited in the backlog would keep the server from closing.
    if (!server.listening) socket.destroy();
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

async function record(incoming: IncomingMessage, over: Promise<void>): Promise<ReceivedRequest> {
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
    over,
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
