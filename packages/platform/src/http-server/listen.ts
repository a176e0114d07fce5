import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../config/index.ts';
import type { Closeable } from '../lifecycle/index.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly app: RequestListener;
  /** How long `close` waits for open requests before it breaks their connections. */
  readonly closeGraceMs?: number;
  /** Unlimited if absent. */
  readonly connections?: ConnectionLimits;
}

/** Further connections are closed immediately. */
export interface ConnectionLimits {
  readonly max: number;
  /** The maximum number of connections per client. */
  readonly maxPerClient: number;
  /** Names the client at an address, for `maxPerClient`. */
  readonly clientOf: (address: string) => string;
  /** Called when a connection was closed because there were too many. */
  readonly onRefused: () => void;
}

/**
 * Longer than the idle timeout of common load balancers. Otherwise they could send a request into a connection that is
 * just closing.
 */
const KEEP_ALIVE_MS = 65_000;
/** Applies while more than half of the connections are used, because idle ones keep others out. */
const KEEP_ALIVE_CROWDED_MS = 5000;

/**
 * Node closes connections that take longer to send the headers or a whole request, because they count toward
 * `ConnectionLimits`.
 */
const SLOW_CLIENTS = { headersTimeout: 20_000, requestTimeout: 90_000, connectionsCheckingInterval: 5000 };

/** All addresses of IPv6, and those of IPv4 as `::ffff:192.0.2.1`. */
const ANY_ADDRESS = '::';
const NO_SUCH_ADDRESS: ReadonlySet<string> = new Set(['ENOTFOUND', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN']);

const startListening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/**
 * Starts a server. Its `close` frees the port, refuses new requests, and lets open requests finish. @throws ConfigError
 * about a host that is not here, or a port that is taken
 */
export async function listen({
  host,
  port,
  app,
  closeGraceMs = 5000,
  connections,
}: ListenOptions): Promise<Closeable & { port: number }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...SLOW_CLIENTS }, refuseUnknownCodings(app));
  if (connections !== undefined) limitConnections(server, connections);
  await startListening(server, host, port).catch(async (error: unknown) => {
    const code = String(Reflect.get(Object(error), 'code'));
    // A machine without IPv6 has no `::`.
    if (host === ANY_ADDRESS && NO_SUCH_ADDRESS.has(code)) return startListening(server, '0.0.0.0', port);
    if (code === 'EADDRINUSE')
      throw new ConfigError(`Port ${port} is taken: stop what uses it, or set PORT or OPS_PORT to a free one`);
    if (!NO_SUCH_ADDRESS.has(code)) throw error;
    throw new ConfigError(`Cannot listen on ${host} (${code}): set HOST or OPS_HOST to an address of this machine`);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, closeGraceMs) };
}

/**
 * Node passes on a body whose last transfer coding merely ends in `chunked`. Another server on the way may find its end
 * elsewhere.
 */
const refuseUnknownCodings =
  (app: RequestListener): RequestListener =>
  (request, response) => {
    const coding = request.headers['transfer-encoding'];
    if (coding === undefined || /^chunked$/i.test(coding)) return app(request, response);
    response.writeHead(501, { connection: 'close' }).end();
  };

function limitConnections(server: Server, { max, maxPerClient, clientOf, onRefused }: ConnectionLimits): void {
  let open = 0;
  const openByClient = new Map<string, number>();
  const count = (client: string, change: 1 | -1): number => {
    open += change;
    server.keepAliveTimeout = open > max / 2 ? KEEP_ALIVE_CROWDED_MS : KEEP_ALIVE_MS;
    const ofClient = (openByClient.get(client) ?? 0) + change;
    if (ofClient === 0) openByClient.delete(client);
    else openByClient.set(client, ofClient);
    return ofClient;
  };
  server.maxConnections = max;
  server.on('drop', onRefused);
  server.on('connection', (socket) => {
    const client = clientOf(socket.remoteAddress ?? '');
    socket.once('close', () => count(client, -1));
    if (count(client, 1) <= maxPerClient) return;
    socket.destroy();
    onRefused();
  });
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Keep-alive connections become idle one by one, after their last reply.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close((error) => {
      clearTimeout(cut);
      clearInterval(sweep);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
