import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a body is read after its reply, and for how long. */
export interface DropLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Four times the largest body of the intake. `readBody` waits longer than that for a body. */
const DROP_LIMITS: DropLimits = { bytes: 64 * 1024 * 1024, ms: 30_000 };

/**
 * Sends the whole reply now, but ends it only after the rest of its request's body was read and dropped. If the
 * connection closed while the client sends, most clients would report a broken pipe and never see the reply.
 */
export function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  reply: string,
  limits = DROP_LIMITS,
): void {
  if (request.complete || request.destroyed) {
    response.end(reply);
    return;
  }
  let bytes = 0;
  const cut = setTimeout(() => response.destroy(), limits.ms);
  request.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > limits.bytes) response.destroy();
  });
  request.once('end', () => response.end());
  request.once('close', () => clearTimeout(cut));
  // With its length, the reply is complete for the client.
  response.setHeader('content-length', Buffer.byteLength(reply));
  response.write(reply);
  request.resume();
}
