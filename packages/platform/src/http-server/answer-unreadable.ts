import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ProblemError, PROBLEM_TYPE, problemBody } from './problem.ts';

/** In which the client reads the reply, and what it still sends is dropped. */
const CLOSE_AFTER_MS = 2000;

/**
 * Passes on requests whose host is named, and whose body ends where every server on the way finds its end: Node takes
 * any transfer coding that ends in `chunked`.
 */
export const refuseUnclear =
  (app: RequestListener): RequestListener =>
  (request, response) => {
    const { 'transfer-encoding': coding, host } = request.headers;
    const refuse = (detail: string): void => {
      const { status, headers, text } = replyOf(new ProblemError('malformed_request', { detail }));
      response
        .setHeaders(new Map(Object.entries(headers)))
        .writeHead(status)
        .end(text);
    };
    if (coding !== undefined && !/^chunked$/i.test(coding))
      refuse('Send the body with a Content-Length, or with Transfer-Encoding: chunked and no other coding.');
    else if (host === undefined && request.httpVersion === '1.1') refuse('Send the header Host.');
    else app(request, response);
  };

/** Answers what Node cannot read as a request, which `app` never sees, with a problem too. */
export function answerUnreadable(server: Server): void {
  const last = new WeakMap<Duplex, Exchange>();
  server.on('request', (request, response) => last.set(request.socket, { request, response }));
  // Mailhook has no expectations that it could refuse.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) =>
    endWith(socket, textOf(new ProblemError('method_not_allowed', { detail: 'CONNECT is not possible here.' }))),
  );
  server.on('clientError', (error: Error, socket) => {
    const exchange = last.get(socket);
    last.set(socket, 'broken');
    if (exchange === 'broken') return;
    const { request, response } = exchange ?? {};
    const text = textOf(problemOf(error));
    if (response?.writableFinished !== false) {
      // After the last reply, Node closes the connection by itself.
      if (response?.getHeader('connection') !== 'close') endWith(socket, text);
    } else if (request?.complete === true || response.socket !== socket) {
      response.once('finish', () => endWith(socket, text));
    } else endWith(socket, response.headersSent ? '' : text);
  });
}

/** The last request of a connection and its reply, or `broken` after a fault. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse } | 'broken';

function endWith(socket: Duplex, text: string): void {
  socket.on('error', () => undefined);
  if (socket.writable) socket.end(text);
  const cut = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
  socket.once('close', () => clearTimeout(cut)).once('end', () => socket.destroy());
  socket.resume();
}

function problemOf(error: Error): ProblemError {
  const { code, reason } = error as Error & { readonly code?: string; readonly reason?: string };
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ProblemError('headers_too_large', { detail: 'The request has more than 16 KiB of headers.' });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ProblemError('request_timeout', { detail: 'The request took too long to arrive. Send it again.' });
  return new ProblemError('malformed_request', { detail: `This is not valid HTTP: ${reason ?? error.message}.` });
}

function replyOf(problem: ProblemError) {
  const id = randomUUID();
  const body = problemBody(problem, id);
  const text = JSON.stringify(body);
  const headers = {
    connection: 'close',
    'cache-control': 'no-store',
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': id,
  };
  return { status: body.status, title: body.title, headers, text };
}

function textOf(problem: ProblemError): string {
  const { status, title, headers, text } = replyOf(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${text}`;
}
