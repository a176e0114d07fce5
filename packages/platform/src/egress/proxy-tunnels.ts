import type { LookupFunction } from 'node:net';
import { isIPv6, Socket } from 'node:net';
import { coded } from '@mailhook/core';
import type { CodedText } from '@mailhook/core';
import type { buildConnector } from 'undici';
import { Client } from 'undici';
import type { TlsConnector, TlsOptions } from './tls-connector.ts';
import { createTlsConnector } from './tls-connector.ts';

/**
 * The outgoing proxy cannot be reached, does not answer, or refuses Mailhook's credentials. The receiver is not at
 * fault.
 */
class ProxyAwayError extends Error {
  override readonly name = 'ProxyAwayError';
}

/**
 * The outgoing proxy works, but opens no tunnel to the receiver. `status` is its answer, or undefined if it gave none.
 */
export class NoTunnelError extends Error {
  override readonly name = 'NoTunnelError';
  readonly status: number | undefined;
  readonly reason: CodedText;
  constructor(status?: number) {
    const reason = status === undefined ? coded('no-tunnel') : coded('no-tunnel-status', { status });
    super(String(reason));
    this.reason = reason;
    this.status = status;
  }
}

export interface TunnelOptions extends TlsOptions {
  /** `http://` or `https://`, with user and password if the proxy wants them. */
  readonly proxyUrl: string;
  /** From the start of an exchange to its connection to the receiver. */
  readonly timeoutMs: number;
  /** Looks up the name of the proxy, without vetting it, because the operator has chosen it. */
  readonly lookup: LookupFunction;
  readonly connector: buildConnector.BuildOptions;
}

export interface Tunnel {
  readonly socket: Socket;
  /** The address that it leads to. */
  readonly address: string;
}

/**
 * Opens a tunnel to the first of the IP addresses that the proxy can reach. Rejects with `ProxyAwayError` or
 * `NoTunnelError`, or with an error of this machine (`EMFILE`, ...) or its resolver. `endMs` is by `performance.now()`.
 */
export type OpenTunnel = (addresses: readonly string[], port: number, endMs: number) => Promise<Tunnel>;

/** A receiver with many addresses must not use the time of the whole exchange. */
const ADDRESSES_MAX = 3;
/**
 * Shares of the time: when the wait for a tunnel ends, when the proxy is checked meanwhile, and how long the check
 * takes at most.
 */
const TUNNEL_SHARE = 0.85;
const CHECK_AT_SHARE = 0.6;
const CHECK_SHARE = 0.2;
const CHECK_KEPT_MS = 1000;
/** Tinyproxy answers a wrong password with 401. */
const CREDENTIALS_REFUSED: readonly number[] = [407, 401];

/**
 * Creates tunnels with CONNECT. A tunnel leads to an IP address that the caller has vetted, so the proxy makes no
 * lookup. A missing answer is attributed to the receiver only if the proxy answers another request.
 */
export function createTunnels({ proxyUrl, timeoutMs, ...options }: TunnelOptions): OpenTunnel {
  const url = new URL(proxyUrl);
  // The origin has no credentials, so errors may show it.
  const { origin } = url;
  const connect = createTlsConnector({ ...options.connector, lookup: options.lookup, timeout: timeoutMs }, options);
  const proxy: Proxy = { origin, connect, credentials: credentialsOf(url) };
  const isAnswering = createProxyCheck(proxy, timeoutMs * CHECK_SHARE);

  const firstTunnel = async (addresses: readonly string[], port: number, endMs: number): Promise<Tunnel> => {
    let failure: unknown;
    for (const [i, address] of addresses.slice(0, ADDRESSES_MAX).entries()) {
      const left = Math.min(addresses.length, ADDRESSES_MAX) - i;
      const withinMs = Math.max(0, endMs - performance.now()) / left;
      try {
        const socket = await tunnelTo(proxy, `${isIPv6(address) ? `[${address}]` : address}:${port}`, withinMs);
        return { socket, address };
      } catch (error) {
        failure = error;
        if (!(error instanceof NoTunnelError)) break;
      }
    }
    throw failure;
  };

  return async (addresses, port, endMs) => {
    let check: Promise<boolean> | undefined;
    const msUntil = (share: number): number => Math.max(0, endMs - timeoutMs * (1 - share) - performance.now());
    const timer = setTimeout(() => {
      check = isAnswering();
    }, msUntil(CHECK_AT_SHARE)).unref();
    try {
      return await firstTunnel(addresses, port, performance.now() + msUntil(TUNNEL_SHARE));
    } catch (error) {
      const isSilence = error instanceof NoTunnelError && error.status === undefined;
      if (isSilence && !(await (check ?? isAnswering())))
        throw new ProxyAwayError(`the proxy ${origin} does not answer`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

interface Proxy {
  readonly origin: string;
  readonly connect: TlsConnector;
  readonly credentials: Readonly<Record<string, string>>;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** One CONNECT on a new connection, which becomes the tunnel. */
async function tunnelTo({ origin, connect, credentials }: Proxy, authority: string, withinMs: number): Promise<Socket> {
  const seen: { isConnected: boolean; failure: Error | undefined } = { isConnected: false, failure: undefined };
  const client = new Client(origin, {
    connect: (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error !== null) {
          seen.failure = error;
          return callback(error, null);
        }
        seen.isConnected = true;
        callback(null, socket);
      }),
    headersTimeout: 0,
  });
  // Ends a connection in progress too, which an AbortSignal does not.
  const timer = setTimeout(() => void client.destroy(new NoTunnelError()), withinMs).unref();
  try {
    const headers = { host: authority, ...credentials };
    const { statusCode, socket } = await client.connect({ path: authority, headers });
    if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket;
    socket.on('error', () => undefined).destroy();
    throw CREDENTIALS_REFUSED.includes(statusCode)
      ? new ProxyAwayError(`the proxy ${origin} wants other credentials than those of EGRESS_PROXY_URL (${statusCode})`)
      : new NoTunnelError(statusCode);
  } catch (error) {
    client.destroy().catch(() => undefined);
    if (error instanceof ProxyAwayError) throw error;
    if (!seen.isConnected) throw awayError(origin, seen.failure);
    throw error instanceof NoTunnelError ? error : new NoTunnelError();
  } finally {
    clearTimeout(timer);
  }
}

/** The cause stays readable, because it may be that this machine lacks something. */
function awayError(origin: string, cause: Error | undefined): ProxyAwayError {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code: unknown = Reflect.get(Object(first), 'code');
  const why = typeof code === 'string' ? code : 'no connection in time';
  return new ProxyAwayError(`the proxy ${origin} cannot be reached (${why})`, { cause: first });
}

/**
 * Returns whether the proxy answers a request, with any status. Concurrent checks share one request, and its result is
 * kept for a second.
 */
function createProxyCheck({ origin, connect }: Proxy, withinMs: number): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let keptUntilMs = 0;
  const check = async (): Promise<boolean> => {
    const client = new Client(origin, { connect });
    const timer = setTimeout(() => void client.destroy(), withinMs).unref();
    try {
      const reply = await client.request({ method: 'GET', path: '/', reset: true });
      reply.body.on('error', () => undefined).destroy();
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      client.destroy().catch(() => undefined);
      keptUntilMs = performance.now() + CHECK_KEPT_MS;
    }
  };
  return () => {
    if (last === undefined || performance.now() > keptUntilMs) {
      keptUntilMs = Number.POSITIVE_INFINITY;
      last = check();
    }
    return last;
  };
}
