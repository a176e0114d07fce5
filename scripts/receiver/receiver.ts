import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, UserError } from '../user-error.ts';
import { readDelivery } from './reply.ts';
import type { Delivery, Reply } from './reply.ts';

/** A request to the local receiver. `number` counts from 1. */
export interface ReceivedRequest {
  readonly number: number;
  readonly receivedAt: Date;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The value of `webhook-attempt`. Undefined if Mailhook did not send the request. */
  readonly attempt: number | undefined;
  readonly delivery: Delivery;
  readonly body: string;
}

export interface ReceiverOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly delayMs: number;
  readonly reply: (request: ReceivedRequest) => Reply;
  /** Called after the reply was written, or when the sender had already gone. */
  readonly onAnswered: (request: ReceivedRequest, reply: Reply, wasTaken: boolean) => void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a receiver of both mechanisms for `npx mailhook listen` and the demo. It answers POST with `reply`, and other
 * methods with 405.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== 'POST') {
      outgoing.writeHead(405, { allow: 'POST' }).end('This is a webhook receiver: it takes POST.\n');
      return;
    }
    count += 1;
    answer(options, incoming, outgoing, count).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new UserError(listenFault(options, error))));
    server.listen(options.port, options.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: ReceiverOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  number: number,
): Promise<void> {
  const receivedAt = new Date();
  const body = await text(incoming);
  const attempt = Number(incoming.headers['webhook-attempt']);
  const request: ReceivedRequest = {
    number,
    receivedAt,
    path: incoming.url ?? '/',
    headers: incoming.headers,
    attempt: Number.isInteger(attempt) && attempt > 0 ? attempt : undefined,
    delivery: readDelivery(parseJson(body)),
    body,
  };
  const reply = options.reply(request);
  if (options.delayMs > 0) await wait(options.delayMs);
  const wasTaken = !outgoing.destroyed && incoming.socket.writable;
  outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  options.onAnswered(request, reply, wasTaken);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function listenFault(options: ReceiverOptions, error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return `Port ${options.port} is taken. Choose another one with --port.`;
  if (error.code === 'EACCES') return `Port ${options.port} needs more rights. Choose one above 1023 with --port.`;
  return `Cannot listen on ${options.host}:${options.port}: ${messageOf(error)}`;
}
