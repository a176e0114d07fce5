import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy to a server on 127.0.0.1, so that a test can break the connections. */
export interface TcpProxy {
  readonly port: number;
  readonly connections: number;
  /** Breaks every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  /**
   * Existing connections stay open and carry nothing more, like those that a NAT table forgot. Neither side learns that the other one closes. New
   * connections work. With `text`, only connections that began with it are lost, such as those of a client's name.
   */
  loseExisting(text?: string): void;
  close(): Promise<void>;
}

/** How many of the first characters from a client are kept, for `loseExisting`. */
const START_CHARS = 500;

interface Connection {
  readonly sockets: readonly [client: Socket, target: Socket];
  start: string;
  isLost: boolean;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  let isCut = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isCut) client.resetAndDestroy();
    else join(client, connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true }), connections);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections.size;
    },
    cut: () => {
      isCut = true;
      for (const connection of connections) for (const socket of connection.sockets) end(socket, connection);
    },
    restore: () => {
      isCut = false;
    },
    loseExisting: (text = '') => {
      for (const connection of connections) if (connection.start.includes(text)) lose(connection);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { sockets } of connections) for (const socket of sockets) socket.destroy();
      }),
  };
}

function join(client: Socket, target: Socket, connections: Set<Connection>): void {
  const connection: Connection = { sockets: [client, target], start: '', isLost: false };
  connections.add(connection);
  client.on('data', (data) => {
    if (connection.start.length < START_CHARS) connection.start += data.toString('latin1');
  });
  client.pipe(target).pipe(client);
  for (const [socket, other] of [
    [client, target],
    [target, client],
  ] as const) {
    socket.setNoDelay(true).on('error', () => undefined);
    socket.once('close', () => {
      if (!connection.isLost) other.destroy();
      if (other.closed) connections.delete(connection);
    });
  }
}

/** A lost connection may be half closed. Node 20 spins at the end of the process if such a connection is reset. */
function end(socket: Socket, { isLost }: Connection): void {
  if (isLost) socket.destroy();
  else socket.resetAndDestroy();
}

function lose(connection: Connection): void {
  connection.isLost = true;
  for (const socket of connection.sockets) {
    socket.unpipe();
    socket.resume();
  }
}
