import { Client } from 'undici';
import type { buildConnector } from 'undici';
import type { VettedConnector } from '@mailhook/platform/egress';
import { InterimReplies } from './interim-replies.ts';

export interface ConnectionsOptions {
  readonly connector: VettedConnector;
  readonly client: Omit<Client.Options, 'connect'>;
  /** The maximum number of connections, idle ones included. */
  readonly connectionsMax: number;
  readonly idleMax: number;
}

/**
 * A connection to a receiver, or one that will be made when a request is dispatched on it. It carries one request at a
 * time.
 */
export interface Connection {
  readonly origin: string;
  /** Set while it connects. */
  hostname: string;
  readonly client: Client;
  readonly interimReplies: InterimReplies;
  /** Whether an exchange has been completed on it since it last connected. */
  isUsed: boolean;
  /**
   * The IP address of the host. Undefined until the host has accepted the TCP connection. A TLS handshake may still be
   * in progress then.
   */
  address: string | undefined;
  /**
   * The first error of its socket since it last connected. undici may report a later one, such as the end after an
   * alert of TLS.
   */
  socketError: Error | undefined;
}

export interface Connections {
  /**
   * Returns the last used idle connection to the origin, or a new one, so that no request waits for another one. At the
   * limit, the connection that has been idle longest is closed to make room. Undefined when all connections are in use.
   */
  acquire(origin: string): Connection | undefined;
  /** Destroys a connection in use and returns a new one to the same origin. */
  replace(connection: Connection): Connection;
  /** Whether the host's name still leads to the address of the connection. See `VettedConnector.isCurrent`. */
  isCurrent(connection: Connection): boolean | Promise<boolean>;
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
export function createConnections(options: ConnectionsOptions): Connections {
  const { connector, connectionsMax } = options;
  const idleMax = Math.max(1, options.idleMax);
  const idleByOrigin = new Map<string, Connection[]>();
  /** The one that has been idle longest is first. */
  const idle = new Set<Connection>();
  const all = new Set<Connection>();

  const leaveIdle = (connection: Connection): boolean => {
    if (!idle.delete(connection)) return false;
    const waiting = idleByOrigin.get(connection.origin) ?? [];
    waiting.splice(waiting.indexOf(connection), 1);
    if (waiting.length === 0) idleByOrigin.delete(connection.origin);
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

  const open = (origin: string): Connection => {
    const connection = newConnection(origin, options);
    all.add(connection);
    connection.client.on('disconnect', () => {
      // If it is in use, its request fails, or waits until the client has connected again.
      if (leaveIdle(connection)) discard(connection);
    });
    return connection;
  };

  return {
    acquire(origin) {
      const used = idleByOrigin.get(origin)?.at(-1);
      if (used !== undefined) {
        leaveIdle(used);
        used.interimReplies.expect();
        return used;
      }
      if (all.size >= connectionsMax) discardOldest();
      return all.size >= connectionsMax ? undefined : open(origin);
    },
    replace(connection) {
      discard(connection);
      return open(connection.origin);
    },
    isCurrent: ({ hostname, address }) => address === undefined || connector.isCurrent(hostname, address),
    release(connection) {
      connection.isUsed = true;
      const waiting = idleByOrigin.get(connection.origin);
      if (waiting === undefined) idleByOrigin.set(connection.origin, [connection]);
      else waiting.push(connection);
      idle.add(connection);
      if (idle.size > idleMax) discardOldest();
    },
    discard,
    async close() {
      await Promise.all([...all].map((connection) => connection.client.destroy(DISCARDED)));
      all.clear();
      idle.clear();
      idleByOrigin.clear();
    },
  };
}

function newConnection(origin: string, { connector, client: clientOptions }: ConnectionsOptions): Connection {
  const interimReplies = new InterimReplies();
  const connect: buildConnector.connector = (target, callback) => {
    connection.hostname = target.hostname;
    connection.address = undefined;
    connection.socketError = undefined;
    connector.connect(
      target,
      (...[error, connected]) => {
        if (error !== null) return callback(error, null);
        connected.once('error', (socketError: Error) => {
          connection.socketError = socketError;
        });
        interimReplies.watch(connected);
        callback(null, connected);
      },
      (address) => {
        connection.address = address;
      },
    );
  };
  const client = new Client(origin, { ...clientOptions, connect });
  const connection: Connection = {
    origin,
    hostname: '',
    client,
    interimReplies,
    isUsed: false,
    address: undefined,
    socketError: undefined,
  };
  client.on('connect', () => {
    connection.isUsed = false;
  });
  return connection;
}
