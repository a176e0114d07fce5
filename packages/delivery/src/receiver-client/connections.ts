import type { Socket } from 'node:net';
import { Client, errors } from 'undici';
import type { buildConnector } from 'undici';
import type { VettedConnector } from '@mailhook/platform/egress';
import { ReplyBytes, UnaskedReplyError } from './reply-bytes.ts';

export interface ConnectionsOptions {
  readonly connector: VettedConnector;
  readonly client: Omit<Client.Options, 'connect'>;
  /** The maximum number of connections, idle ones included. */
  readonly connectionsMax: number;
  readonly idleMax: number;
}

/**
 * A connection to a receiver, or one that will be made when a request is dispatched on it. It carries one request at a
 * time, all of the same account, and connects once: a request that finds it closed fails unsent.
 */
export interface Connection {
  readonly account: string;
  readonly origin: string;
  /** Set while it connects. */
  hostname: string;
  readonly client: Client;
  readonly replyBytes: ReplyBytes;
  /** Undefined until it is connected. */
  socket: Socket | undefined;
  /** Whether an exchange has been completed on it. */
  isUsed: boolean;
  /**
   * The IP address of the host. Undefined until the host has accepted the TCP connection. A TLS handshake may still be
   * in progress then.
   */
  address: string | undefined;
  /** The first error of its socket. undici may report a later one, such as the end after an alert of TLS. */
  socketError: Error | undefined;
}

export interface Connections {
  /**
   * Returns the account's last used idle connection to the origin, or a new one, so that no request waits for another
   * one. At the limit, the connection that has been idle longest is closed to make room. Undefined when all connections
   * are in use.
   */
  acquire(account: string, origin: string): Connection | undefined;
  /** Destroys a connection in use and returns a new one of the same account to the same origin. */
  replace(connection: Connection): Connection;
  /** Whether the host's name still leads to the address of the connection. See `VettedConnector.isCurrent`. */
  isCurrent(connection: Connection): boolean | Promise<boolean>;
  /** Whether its socket is open, and nothing of an earlier request is still being written to it. */
  isFree(connection: Connection): boolean;
  /** Makes a connection idle after its reply is complete, or destroys it if the request is still being written. */
  release(connection: Connection): void;
  /** Destroys a connection, even with an exchange in progress. */
  discard(connection: Connection): void;
  /** Destroys all connections. */
  close(): Promise<void>;
}

const CLOSED = 'the connection is closed';
const DISCARDED = new Error('the exchange is over');

/**
 * Manages the connections to all origins. undici's Agent would burden receivers. It opens a second connection for a
 * request that directly follows a reply, and an unused new one after each aborted request.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { connector, connectionsMax } = options;
  const idleMax = Math.max(1, options.idleMax);
  const idleByKey = new Map<string, Connection[]>();
  /** The one that has been idle longest is first. */
  const idle = new Set<Connection>();
  const all = new Set<Connection>();

  const leaveIdle = (connection: Connection): boolean => {
    if (!idle.delete(connection)) return false;
    const key = keyOf(connection.account, connection.origin);
    const waiting = idleByKey.get(key) ?? [];
    waiting.splice(waiting.indexOf(connection), 1);
    if (waiting.length === 0) idleByKey.delete(key);
    return true;
  };

  const discard = (connection: Connection): void => {
    leaveIdle(connection);
    all.delete(connection);
    connection.client.destroy(DISCARDED, () => undefined);
  };

  const discardOldest = (): void => {
    const [oldest] = idle;
    if (oldest !== undefined) discard(oldest);
  };

  const open = (account: string, origin: string): Connection => {
    const connection = newConnection(account, origin, options);
    all.add(connection);
    connection.client.on('disconnect', () => {
      // If it is in use, its request fails.
      if (leaveIdle(connection)) discard(connection);
    });
    return connection;
  };

  return {
    acquire(account, origin) {
      const used = idleByKey.get(keyOf(account, origin))?.at(-1);
      if (used !== undefined) {
        leaveIdle(used);
        return used;
      }
      if (all.size >= connectionsMax) discardOldest();
      return all.size >= connectionsMax ? undefined : open(account, origin);
    },
    replace(connection) {
      discard(connection);
      return open(connection.account, connection.origin);
    },
    isCurrent: ({ hostname, address }) => address === undefined || connector.isCurrent(hostname, address),
    isFree: (connection) => connection.socket?.destroyed === false && !isWriting(connection),
    release(connection) {
      connection.replyBytes.expectNothing();
      if (isWriting(connection) && !isTls(connection)) {
        discard(connection);
        return;
      }
      connection.isUsed = true;
      const key = keyOf(connection.account, connection.origin);
      const waiting = idleByKey.get(key);
      if (waiting === undefined) idleByKey.set(key, [connection]);
      else waiting.push(connection);
      idle.add(connection);
      if (idle.size > idleMax) discardOldest();
    },
    discard,
    async close() {
      await Promise.all([...all].map((connection) => connection.client.destroy(DISCARDED)));
      all.clear();
      idle.clear();
      idleByKey.clear();
    },
  };
}

/** An origin has no line break. */
const keyOf = (account: string, origin: string): string => `${origin}\n${account}`;

const isTls = ({ origin }: Connection): boolean => origin.startsWith('https:');

const isWriting = ({ socket }: Connection): boolean => socket !== undefined && socket.writableLength > 0;

function newConnection(account: string, origin: string, options: ConnectionsOptions): Connection {
  const replyBytes = new ReplyBytes();
  let isFirst = true;
  const connect: buildConnector.connector = (target, callback) => {
    if (!isFirst) return callback(new Error(CLOSED), null);
    isFirst = false;
    connection.hostname = target.hostname;
    options.connector.connect(
      target,
      (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        connection.socket = socket;
        socket.once('error', (socketError: Error) => {
          connection.socketError = socketError;
        });
        afterReading(() => {
          connection.socketError ??= faultBeforeUse(socket);
          if (connection.socketError === undefined) {
            replyBytes.watch(socket);
            callback(null, socket);
          } else {
            socket.destroy();
            // Not the error itself, because undici connects again after some.
            callback(new Error(CLOSED), null);
          }
        });
      },
      (address) => {
        connection.address = address;
      },
    );
  };
  const connection: Connection = {
    account,
    origin,
    hostname: '',
    client: new Client(origin, { ...options.client, connect }),
    replyBytes,
    socket: undefined,
    isUsed: false,
    address: undefined,
    socketError: undefined,
  };
  return connection;
}

/** Runs a task when all bytes that are there now have been read. The event loop reads between two immediates. */
const afterReading = (task: () => void): void => {
  setImmediate(() => setImmediate(task));
};

/** Why no request can be written to a new socket. */
function faultBeforeUse(socket: Socket): Error | undefined {
  const early: unknown = socket.readableLength > 0 ? socket.read() : undefined;
  if (Buffer.isBuffer(early)) return new UnaskedReplyError(early);
  return socket.destroyed || socket.readableEnded ? new errors.SocketError(CLOSED) : undefined;
}
