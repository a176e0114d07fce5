import { Client } from 'undici';
import type { buildConnector } from 'undici';
import type { VettedConnector } from '@mailhook/platform/egress';
import { InterimReplies } from './interim-replies.ts';

export interface ConnectionsOptions extends Omit<Client.Options, 'connect'> {
  readonly connect: VettedConnector;
}

/**
 * A connection to a receiver, or one that will be made when a request is dispatched on it. It carries one request at a
 * time.
 */
export interface Connection {
  readonly origin: string;
  readonly client: Client;
  readonly interimReplies: InterimReplies;
  /** Whether an exchange has been completed on it since it last connected. */
  isUsed: boolean;
  /** Whether the host has accepted the TCP connection. A TLS handshake may still be in progress. */
  isAccepted: boolean;
  /**
   * The first error of its socket since it last connected. undici may report a later one, such as the end after an
   * alert of TLS.
   */
  socketError: Error | undefined;
}

export interface Connections {
  /**
   * Returns the last used idle connection to the origin, or a new one, so that no request waits for another one. At the
   * limit, an idle connection to another origin is closed to make room. Undefined when all connections are in use.
   */
  acquire(origin: string): Connection | undefined;
  /** Makes a connection idle after its exchange is complete. */
  release(connection: Connection): void;
  /** Destroys a connection, even with an exchange in progress. */
  discard(connection: Connection): void;
  /** Destroys all connections. */
  close(): Promise<void>;
}

const DISCARDED = new Error('the exchange is over');

/**
 * Manages the connections to all origins. undici's Agent would burden receivers. It opens a second connection for a
 * request that directly follows a reply, and an unused new one after each aborted request.
 */
export function createConnections(options: ConnectionsOptions, connectionsMax: number): Connections {
  const idle = new Map<string, Connection[]>();
  const all = new Set<Connection>();

  const leaveIdle = (connection: Connection): boolean => {
    const waiting = idle.get(connection.origin);
    const at = waiting?.indexOf(connection) ?? -1;
    if (waiting !== undefined && at >= 0) waiting.splice(at, 1);
    if (waiting?.length === 0) idle.delete(connection.origin);
    return at >= 0;
  };

  const discard = (connection: Connection): void => {
    leaveIdle(connection);
    all.delete(connection);
    connection.client.destroy(DISCARDED, () => undefined);
  };

  return {
    acquire(origin) {
      const used = idle.get(origin)?.at(-1);
      if (used !== undefined) {
        leaveIdle(used);
        used.interimReplies.expect();
        return used;
      }
      if (all.size >= connectionsMax) {
        const oldest = oldestIdle(idle);
        if (oldest === undefined) return undefined;
        discard(oldest);
      }
      const connection = newConnection(origin, options);
      all.add(connection);
      connection.client.on('disconnect', () => {
        // If it is in use, its request fails, or waits until the client has connected again.
        if (leaveIdle(connection)) discard(connection);
      });
      return connection;
    },
    release(connection) {
      connection.isUsed = true;
      const waiting = idle.get(connection.origin);
      if (waiting === undefined) idle.set(connection.origin, [connection]);
      else waiting.push(connection);
    },
    discard,
    async close() {
      await Promise.all([...all].map((connection) => connection.client.destroy(DISCARDED)));
      all.clear();
      idle.clear();
    },
  };
}

function oldestIdle(idle: ReadonlyMap<string, readonly Connection[]>): Connection | undefined {
  for (const [oldest] of idle.values()) if (oldest !== undefined) return oldest;
  return undefined;
}

function newConnection(origin: string, options: ConnectionsOptions): Connection {
  const interimReplies = new InterimReplies();
  const connect: buildConnector.connector = (target, callback) => {
    connection.isAccepted = false;
    connection.socketError = undefined;
    options.connect(
      target,
      (...[error, connected]) => {
        if (error !== null) return callback(error, null);
        connected.once('error', (socketError: Error) => {
          connection.socketError = socketError;
        });
        interimReplies.watch(connected);
        callback(null, connected);
      },
      () => {
        connection.isAccepted = true;
      },
    );
  };
  const client = new Client(origin, { ...options, connect });
  const connection: Connection = {
    origin,
    client,
    interimReplies,
    isUsed: false,
    isAccepted: false,
    socketError: undefined,
  };
  connection.client.on('connect', () => {
    connection.isUsed = false;
  });
  return connection;
}
