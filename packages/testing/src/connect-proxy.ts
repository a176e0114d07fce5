import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * What the proxy does with CONNECT: opens a tunnel, answers a status, gives no answer or closes the connection. `dead`
 * gives no answer to any other request either.
 */
type ConnectAction = 'open' | 'silent' | 'close' | 'dead' | { readonly status: number };

/** A proxy for outgoing requests, as a company runs one: a real HTTP server on 127.0.0.1 that opens tunnels. */
export interface ConnectProxy {
  /** Without credentials. */
  readonly url: string;
  /** The targets of all CONNECT requests, in order, such as `127.0.0.1:8080`. */
  readonly targets: readonly string[];
  readonly openTunnels: number;
  /** Decides for all later requests. Default: a tunnel to every target. */
  setAction(actionOf: (target: string) => ConnectAction): void;
  close(): Promise<void>;
}

interface ConnectProxyOptions {
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** `user:password`. Without them, the proxy answers 407. */
  readonly credentials?: string;
}

export async function startConnectProxy({
  port = 0,
  tls,
  credentials,
}: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const targets: string[] = [];
  const tunnels = new Set<Duplex>();
  const clients = new Set<Duplex>();
  let actionOf: (target: string) => ConnectAction = () => 'open';
  const answer: RequestListener = (_request, response) => {
    // A proxy refuses a request that names no target.
    if (actionOf('') !== 'dead') response.writeHead(400).end();
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  server.on('connection', (socket: Duplex) => clients.add(socket.once('close', () => clients.delete(socket))));
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    const target = request.url ?? '';
    targets.push(target);
    client.on('error', () => undefined);
    const isKnown =
      credentials === undefined ||
      request.headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
    const action = isKnown ? actionOf(target) : { status: 407 };
    if (action === 'open') join(client, target, tunnels);
    else if (action === 'close') client.destroy();
    else if (typeof action === 'object') refuse(client, action.status);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    get openTunnels() {
      return tunnels.size;
    },
    setAction: (action) => (actionOf = action),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}

const refuse = (client: Duplex, status: number): void => {
  client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nproxy-authenticate: Basic realm="test"\r\n\r\n`);
};

function join(client: Duplex, target: string, tunnels: Set<Duplex>): void {
  const { hostname, port } = new URL(`http://${target}`);
  const upstream = connect(Number(port === '' ? 80 : port), hostname.replace(/^\[(.*)\]$/, '$1'));
  upstream.once('error', () => refuse(client, 502));
  upstream.once('connect', () => {
    upstream.on('error', () => undefined);
    tunnels.add(client);
    client.once('close', () => tunnels.delete(client));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
}
