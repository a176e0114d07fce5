import type { ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** What a fake receiver does with a request. All fields are optional. Without any, it answers 200 and no body. */
export interface ReplyAction {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly json?: unknown;
  /** Waits before the status line. */
  readonly delayMs?: number;
  /** Sends the status line and headers at once, then one byte of the body at each interval. */
  readonly dripMs?: number;
  /** `reply` sends nothing at all. `body` sends the status line, the headers, and a body that never ends. */
  readonly hang?: 'reply' | 'body';
  /** Resets the connection (RST), before the status line (`reply`) or in the middle of the body (`body`). */
  readonly reset?: 'reply' | 'body';
  /** Answers 302 with this `location`. */
  readonly redirect?: string;
  /** Size of a body of spaces. */
  readonly fillBytes?: number;
  /** Size of a gzip body after decompression. */
  readonly gzipBombBytes?: number;
  /** Bytes to write to the socket instead of an HTTP reply. The connection then ends. */
  readonly rawBytes?: string | Buffer;
  /** Sends the status line, then headers that never end. */
  readonly endlessHeaders?: boolean;
}

export async function perform(action: ReplyAction, reply: ServerResponse): Promise<void> {
  if (action.delayMs !== undefined) await after(action.delayMs, undefined, { ref: false });
  if (reply.destroyed || action.hang === 'reply') return;
  if (action.reset === 'reply') {
    resetConnection(reply);
    return;
  }
  if (action.rawBytes !== undefined) {
    reply.socket?.end(action.rawBytes);
    return;
  }
  if (action.endlessHeaders === true) return sendEndlessHeaders(reply);
  await sendReply(action, reply);
}

async function sendReply(action: ReplyAction, reply: ServerResponse): Promise<void> {
  const headers = { ...(action.json === undefined ? {} : { 'content-type': 'application/json' }), ...action.headers };
  if (action.redirect !== undefined) {
    reply.writeHead(302, { ...headers, location: action.redirect }).end();
    return;
  }
  if (action.gzipBombBytes !== undefined) {
    reply.writeHead(action.status ?? 200, { ...headers, 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(reply);
    await fill(gzip, action.gzipBombBytes, reply);
    return;
  }
  // Pass a reason phrase only if one is given, because '' would send none at all.
  if (action.statusText === undefined) reply.writeHead(action.status ?? 200, headers);
  else reply.writeHead(action.status ?? 200, action.statusText, headers);
  await sendBody(action, reply);
}

async function sendBody(action: ReplyAction, reply: ServerResponse): Promise<void> {
  const body = action.json === undefined ? (action.body ?? '') : JSON.stringify(action.json);
  if (action.hang === 'body' || action.reset === 'body') {
    reply.write('[');
    if (action.reset === 'body') setImmediate(() => resetConnection(reply));
  } else if (action.fillBytes !== undefined) {
    await fill(reply, action.fillBytes, reply);
  } else if (action.dripMs !== undefined) {
    await drip(Buffer.from(body), action.dripMs, reply);
  } else {
    reply.end(body);
  }
}

const CHUNK = Buffer.alloc(64 * 1024, 0x20);

/** Writes this many spaces as fast as the client reads them, and stops early if the connection closes. */
async function fill(target: NodeJS.WritableStream, bytes: number, reply: ServerResponse): Promise<void> {
  for (let left = bytes; left > 0 && !reply.destroyed; left -= CHUNK.length) {
    const isTaken = target.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK);
    if (!isTaken) await drained(target, reply);
  }
  target.end();
}

function drained(target: NodeJS.WritableStream, reply: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.removeListener('drain', done);
      reply.removeListener('close', done);
      resolve();
    };
    target.once('drain', done);
    reply.once('close', done);
  });
}

async function drip(body: Buffer, everyMs: number, reply: ServerResponse): Promise<void> {
  reply.flushHeaders();
  for (const byte of body) {
    await after(everyMs, undefined, { ref: false });
    if (reply.destroyed) return;
    reply.write(Buffer.of(byte));
  }
  reply.end();
}

async function sendEndlessHeaders(reply: ServerResponse): Promise<void> {
  const { socket } = reply;
  socket?.write('HTTP/1.1 200 OK\r\n');
  for (let number = 0; socket?.writable === true; number += 1) {
    socket.write(`x-${number}: ${'y'.repeat(20)}\r\n`);
    await after(2, undefined, { ref: false });
  }
}

function resetConnection(reply: ServerResponse): void {
  reply.socket?.resetAndDestroy();
}
