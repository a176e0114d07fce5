import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { portOf } from './literal-address.ts';
import { createSessions } from './sessions.ts';

/**
 * Calls `onAccepted` with the host's IP address when the host has accepted the TCP connection, before a TLS handshake.
 */
export type TlsConnector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  onAccepted?: (address: string) => void,
) => void;

export interface TlsOptions {
  /** Certificates to trust besides Node's own. */
  readonly ca?: string | undefined;
  /** The maximum size of all kept TLS sessions, in bytes. A session has 1 to 2.5 kB. Default: 16 MB. */
  readonly sessionBytesMax?: number | undefined;
}

/**
 * undici's connector, which also
 *
 * - Takes the dot off the end of a host for the TLS name. RFC 6066 allows no dot there, and servers in Go refuse it.
 * - Resumes TLS sessions. A server that does not know a session makes a full handshake instead, on the same connection.
 *   If the handshake fails, it is repeated without the session, unless it runs in a tunnel.
 * - Parses the trusted certificates once, not per connection.
 */
export function createTlsConnector(
  options: buildConnector.BuildOptions,
  { ca, sessionBytesMax }: TlsOptions,
): TlsConnector {
  const sessions = createSessions(sessionBytesMax);
  let context: SecureContext | undefined;
  // undici's own cache of sessions holds none that the garbage collector wants.
  const common = { ...options, maxCachedSessions: 0 };
  const connectPlain = buildConnector(options);

  const connectTls: TlsConnector = (target, callback, onAccepted) => {
    const key = `${target.servername ?? target.hostname}:${portOf(target.protocol, target.port)}`;
    const session = sessions.get(key);
    context ??= createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
    const connect = buildConnector({
      ...common,
      secureContext: context,
      ...(session === undefined ? {} : { session }),
    });
    let isAccepted = target.httpSocket !== undefined;
    const socket = socketOf(connect, target, (...[error, connected]) => {
      if (error === null) return callback(null, connected);
      const isRefused = session !== undefined && isAccepted && Reflect.get(error, 'code') !== CONNECT_TIMEOUT;
      if (isRefused) sessions.forget(key);
      if (isRefused && target.httpSocket === undefined) connectTls(target, callback, onAccepted);
      else callback(error, null);
    });
    socket.once('connect', () => {
      isAccepted = true;
      onAccepted?.(socket.remoteAddress ?? '');
    });
    // A resumed handshake compares no name. Node emits no session before it has accepted certificate and name.
    socket.on('session', (next: Buffer) => sessions.keep(key, next, socket.isSessionReused?.() !== false));
  };

  return (target, callback, onAccepted) => {
    const { hostname, protocol } = target;
    if (protocol === 'https:') {
      const servername = isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : target.servername;
      connectTls({ ...target, ...(servername === undefined ? {} : { servername }) }, callback, onAccepted);
      return;
    }
    const socket = socketOf(connectPlain, target, callback);
    socket.once('connect', () => onAccepted?.(socket.remoteAddress ?? ''));
  };
}

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

type AnySocket = Socket & Partial<Pick<TLSSocket, 'isSessionReused'>>;

/** undici's connector returns the socket, which its types do not show. */
const socketOf = (connect: buildConnector.connector, ...call: Parameters<buildConnector.connector>): AnySocket =>
  (connect as (...call: Parameters<buildConnector.connector>) => AnySocket)(...call);
