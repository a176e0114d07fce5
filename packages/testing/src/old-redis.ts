import { createServer } from 'node:net';
import type { Socket } from 'node:net';

/**
 * A server that speaks the protocol of Redis and claims to be an old version. It has no functions and keeps nothing.
 */
export interface OldRedis {
  readonly url: string;
  close(): Promise<void>;
}

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

const replyTo = (command: string, version: string): string => {
  switch (command) {
    case 'info':
      return bulk(`redis_version:${version}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\nloading:0\r\n`);
    case 'ping':
      return '+PONG\r\n';
    case 'client':
    case 'quit':
      return '+OK\r\n';
    default:
      return `-ERR unknown command \`${command}\`\r\n`;
  }
};

/** Takes the complete commands out of a buffer. Returns them, each as its words, and the rest. */
function takeCommands(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = [];
  let rest = text;
  for (;;) {
    const lines = rest.split('\r\n');
    const count = Number(lines[0]?.slice(1));
    if (lines[0]?.startsWith('*') !== true || lines.length < 2 * count + 2) return { commands, rest };
    commands.push(Array.from({ length: count }, (_, i) => lines[2 * i + 2] ?? ''));
    rest = lines.slice(2 * count + 1).join('\r\n');
  }
}

export async function startOldRedis(version: string): Promise<OldRedis> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered = '';
    socket.setEncoding('latin1').on('data', (data) => {
      const { commands, rest } = takeCommands(`${buffered}${String(data)}`);
      buffered = rest;
      for (const [name = ''] of commands) socket.write(replyTo(name.toLowerCase(), version));
    });
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
