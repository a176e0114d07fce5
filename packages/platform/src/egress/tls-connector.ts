import { isIP } from 'node:net';
import { buildConnector } from 'undici';

/**
 * undici's connector, which also takes the dot off the end of a host for the TLS name. RFC 6066 allows no dot there,
 * and servers in Go refuse it. Returns the socket, which undici's types do not show.
 */
export function createTlsConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    const { hostname } = target;
    if (isIP(hostname) !== 0) return connect(target, callback);
    return connect({ ...target, servername: hostname.replace(/\.$/, '') }, callback);
  };
}
