import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closeable } from '../lifecycle/index.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly app: RequestListener;
  /** How long `close` waits for requests in flight before it cuts them. */
  readonly closeGraceMs?: number;
  /** Further connections are closed at once. Unlimited when absent. */
  readonly maxConnections?: number;
  /** A connection was closed because there were too many. */
  readonly onConnectionRefused?: () => void;
}

/** Longer than the idle time of the usual load balancers, which otherwise now and then send into a connection that just closes. */
const KEEP_ALIVE_MS = 65_000;

/** Node closes connections that take longer to send a head or a whole request. They count towards `maxConnections`. */
const SLOW_CLIENTS = { headersTimeout: 20_000, requestTimeout: 90_000, connectionsCheckingInterval: 5000 };

/** Serves until closed: `close` takes no new requests, lets those in flight finish, and frees the port. */
export async function listen({
  host,
  port,
  app,
  closeGraceMs = 5000,
  maxConnections,
  onConnectionRefused = () => undefined,
}: ListenOptions): Promise<Closeable & { port: number }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...SLOW_CLIENTS }, app);
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

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Keep-alive connections become idle one by one, when their last answer is out.
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
