import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closeable } from '../lifecycle/index.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly app: RequestListener;
  /** How long `close` waits for requests under way before it cuts them. */
  readonly closeGraceMs?: number;
}

/** Longer than the idle time of the usual load balancers, which otherwise now and then send into a connection that just closes. */
const KEEP_ALIVE_MS = 65_000;

/** Serves until closed: `close` takes no new requests, lets those under way finish, and frees the port. */
export async function listen({
  host,
  port,
  app,
  closeGraceMs = 5000,
}: ListenOptions): Promise<Closeable & { port: number }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
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
