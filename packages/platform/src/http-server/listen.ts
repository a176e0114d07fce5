import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closeable } from '../lifecycle/index.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly app: RequestListener;
  /** How long `close` waits for open requests before it breaks their connections. */
  readonly closeGraceMs?: number;
  /** Further connections are closed at once. Unlimited if absent. */
  readonly maxConnections?: number;
  /** Called when a connection was closed because there were too many. */
  readonly onConnectionRefused?: () => void;
}

/** Longer than the idle timeout of common load balancers. Otherwise they could send a request into a connection that is just closing. */
const KEEP_ALIVE_MS = 65_000;

/** Node closes connections that take longer to send the headers or a whole request, because they count toward `maxConnections`. */
const SLOW_CLIENTS = { headersTimeout: 20_000, requestTimeout: 90_000, connectionsCheckingInterval: 5000 };

/** Starts a server. Its `close` frees the port, refuses new requests, and lets open requests finish. */
export async function listen({
  host,
  port,
  app,
  closeGraceMs = 5000,
  maxConnections,
  onConnectionRefused = () => undefined,
}: ListenOptions): Promise<Closeable & { port: number }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...SLOW_CLIENTS }, refuseUnknownCodings(app));
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on('drop', onConnectionRefused);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, closeGraceMs) };
}

/** Node passes on a body whose last transfer coding merely ends in `chunked`. Another server on the way may find its end elsewhere. */
const refuseUnknownCodings =
  (app: RequestListener): RequestListener =>
  (request, response) => {
    const coding = request.headers['transfer-encoding'];
    if (coding === undefined || /^chunked$/i.test(coding)) return app(request, response);
    response.writeHead(501, { connection: 'close' }).end();
  };

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
