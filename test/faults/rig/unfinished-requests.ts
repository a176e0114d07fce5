import type { Socket } from 'node:net';
import { connect } from 'node:net';

interface Unfinished {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The declared length of the body. The last byte is never sent. */
  readonly bytes: number;
  readonly count: number;
}

/** Requests whose bodies never end. */
interface UnfinishedRequests {
  /** Resolves when each request is answered, cut off, or sent except for its last byte. */
  readonly sent: Promise<unknown>;
  close(): void;
}

/** Opens `count` connections and sends the same request on each, except for the last byte of its body. */
export function sendUnfinished({ port, path, headers, bytes, count }: Unfinished): UnfinishedRequests {
  const body = Buffer.alloc(bytes - 1, 0x20);
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': bytes }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  const send = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => resolve();
      socket.on('error', finish).on('close', finish).on('data', finish);
      socket.write(head);
      socket.write(body, finish);
    });
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  return {
    sent: Promise.all(sockets.map(send)),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
