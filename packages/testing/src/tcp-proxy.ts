import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP proxy to a server on 127.0.0.1, so that a test can break the connections. */
export interface TcpProxy {
  readonly port: number;
  readonly connections: number;
  /** Breaks every connection, and resets new ones until `restore`. */
  cut(): void;
  /** Lets new connections through again. */
  restore(): void;
  /**
   * Existing connections stay open and carry nothing more, like those that a NAT table forgot. Neither side learns that
   * the other one closes. New connections work. With `text`, only connections with this text in their first 500
   * characters are lost, such as those of one client name.
   */
  loseExisting(text?: string): void;
  /**
   * Loses every connection like `loseExisting`, and new ones too until `restore`, like a firewall that drops packets.
   * Nothing is refused or reset.
   */
  swallow(): void;
  /** From now on, everything that clients send arrives this much later. */
  delayRequests(ms: number): void;
  /** The same for what the server sends. */
  delayReplies(ms: number): void;
  /**
   * Breaks every connection. New ones go to this port of 127.0.0.1, like those through an address that moved to another
   * server.
   */
  moveTo(port: number): void;
  close(): Promise<void>;
}

/** How many of the first characters from a client are kept, for `loseExisting`. */
const START_CHARS = 500;
const DELAYED_BYTES_MAX = 16 * 1024 * 1024;

interface Connection {
  readonly sockets: readonly [client: Socket, target: Socket];
  start: string;
  isLost: boolean;
}

/** What the proxy does to all connections. */
interface Conditions {
  targetPort: number;
  isCut: boolean;
  isSwallowing: boolean;
  requestDelayMs: number;
  replyDelayMs: number;
}

type Delay = 'requestDelayMs' | 'replyDelayMs';

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  const now: Conditions = { targetPort, isCut: false, isSwallowing: false, requestDelayMs: 0, replyDelayMs: 0 };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (now.isCut) client.resetAndDestroy();
    else join(client, now, connections);
  });
  const breakAll = (): void => {
    for (const connection of connections) for (const socket of connection.sockets) end(socket, connection);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections.size;
    },
    cut: () => {
      now.isCut = true;
      breakAll();
    },
    restore: () => {
      [now.isCut, now.isSwallowing] = [false, false];
    },
    swallow: () => {
      now.isSwallowing = true;
      for (const connection of connections) lose(connection);
    },
    delayRequests: (ms) => {
      now.requestDelayMs = ms;
    },
    delayReplies: (ms) => {
      now.replyDelayMs = ms;
    },
    moveTo: (port) => {
      now.targetPort = port;
      breakAll();
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

function join(client: Socket, now: Conditions, connections: Set<Connection>): void {
  const target = connect({ port: now.targetPort, host: '127.0.0.1', allowHalfOpen: true });
  const connection: Connection = { sockets: [client, target], start: '', isLost: false };
  connections.add(connection);
  client.on('data', (data) => {
    if (connection.start.length < START_CHARS) connection.start += data.toString('latin1');
  });
  client.pipe(delayed(now, connection, 'requestDelayMs')).pipe(target);
  target.pipe(delayed(now, connection, 'replyDelayMs')).pipe(client);
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
  if (now.isSwallowing) lose(connection);
}

/** Passes all parts on in order. Each part gets the delay that is set when it arrives. */
function delayed(now: Conditions, connection: Connection, delay: Delay): Transform {
  const waiting: Buffer[] = [];
  let onEmpty = (): void => undefined;
  return new Transform({
    highWaterMark: DELAYED_BYTES_MAX,
    transform(part: Buffer, _encoding, done) {
      if (now[delay] === 0 && waiting.length === 0) {
        done(null, part);
        return;
      }
      waiting.push(part);
      // Timers may fire out of order when the delay changes, so each one passes on the oldest part.
      setTimeout(() => {
        const oldest = waiting.shift();
        if (!connection.isLost) this.push(oldest);
        if (waiting.length === 0) onEmpty();
      }, now[delay]);
      done();
    },
    flush: (done) => {
      if (waiting.length === 0) done();
      else onEmpty = done;
    },
  });
}

/** Resets a connection. Node 20 cannot reset a half closed one, and spins at the end of the process if it tries. */
function end(socket: Socket, { isLost }: Connection): void {
  if (isLost || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function lose(connection: Connection): void {
  connection.isLost = true;
  for (const socket of connection.sockets) {
    socket.unpipe();
    socket.resume();
  }
}
