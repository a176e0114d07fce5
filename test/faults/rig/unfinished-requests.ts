import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@mailhook/testing';

interface Unfinished {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Declared as the body's length; all but the last byte is sent. */
  readonly bytes: number;
  readonly count: number;
}

/** Requests whose bodies never end. */
export interface UnfinishedRequests {
  /** Resolves when each of them is answered, cut, or sent but for its last byte. */
  readonly settled: Promise<void>;
  close(): void;
}

/** Opens many connections, and sends the same request on each, but for the last byte of its body. */
export function sendUnfinished({ port, path, headers, bytes, count }: Unfinished): UnfinishedRequests {
  const body = Buffer.alloc(bytes - 1, 0x20);
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': bytes }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  let settled = 0;
  const sockets = Array.from({ length: count }, (): Socket => {
    const socket = connect(port, '127.0.0.1');
    let isSettled = false;
    const settle = (): void => {
      if (!isSettled) settled += 1;
      isSettled = true;
    };
    socket.on('error', settle).on('close', settle).on('data', settle);
    socket.write(head);
    socket.write(body, settle);
    return socket;
  });
  return {
    settled: eventually(() => settled === count, { withinMs: 30_000, what: `${count} settled requests` }).then(
      () => undefined,
    ),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
