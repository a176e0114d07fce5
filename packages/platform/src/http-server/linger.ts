import type { IncomingMessage, RequestListener } from 'node:http';
import { Socket } from 'node:net';

/** How much of a body is read after the reply, and for how long. */
export interface LingerLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Four times the largest body of the intake. `readBody` waits longer than that for a body. */
export const LINGER: LingerLimits = { bytes: 64 * 1024 * 1024, ms: 30_000 };
const CHECK_MS = 50;

/**
 * Reads and drops the rest of a body that was still arriving when its reply left. If the connection closed while the
 * client sends, most clients would report a broken pipe and never see the reply.
 */
export const lingerAfterReply =
  (app: RequestListener, limits: LingerLimits): RequestListener =>
  (request, response) => {
    // A client must not send a request after a reply with `Connection: close`.
    if (request.socket.writableEnded) return;
    // Node calls this after the last reply of a connection.
    request.socket.destroySoon = () => {
      if (request.complete) Socket.prototype.destroySoon.call(request.socket);
      else request.socket.end();
    };
    response.once('finish', () => {
      if (!request.complete) dropRest(request, limits);
    });
    app(request, response);
  };

function dropRest(request: IncomingMessage, { bytes, ms }: LingerLimits): void {
  const { socket } = request;
  const mostBytes = socket.bytesRead + bytes;
  const endsMs = performance.now() + ms;
  const check = setInterval(() => {
    if (socket.bytesRead > mostBytes || performance.now() > endsMs) socket.destroy();
  }, CHECK_MS);
  request.once('close', () => {
    clearInterval(check);
    if (socket.writableEnded) socket.destroy();
  });
  request.resume();
}
