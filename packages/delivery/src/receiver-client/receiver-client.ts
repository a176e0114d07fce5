import type { Exchange } from '@mailhook/core';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { createVettedConnector, openFilesMax } from '@mailhook/platform/egress';
import { createDeadlines } from './deadlines.ts';
import { createAxios, postByAxios } from './axios-client.ts';
import { createConnections } from './connections.ts';
import type { ExchangeDeps, ExchangeFacts, RequestHandle, TimedExchange } from './exchange.ts';
import { exchange } from './exchange.ts';
import { createTargets } from './target.ts';

export interface OutgoingRequest {
  readonly address: string;
  readonly body: string;
  /** Beyond Content-Type and User-Agent, which the client sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the outcome needs the reply's body; if not, it is discarded unread. */
  readonly needsBody: boolean;
  /** Through it the caller can end the request. */
  readonly handle?: RequestHandle | undefined;
}

/** Sends one request under the whole-exchange deadline; never throws for what a receiver does. */
export interface ReceiverClient {
  post(request: OutgoingRequest): Promise<Exchange & ExchangeFacts>;
  /** Requests under way now. */
  readonly pending: number;
  close(): Promise<void>;
}

export interface ReceiverClientOptions {
  /** The whole exchange, from the lookup of the name to the last byte of the reply. */
  readonly timeoutMs: number;
  /** Most bytes of a reply's body, after decompression. */
  readonly replyCapBytes: number;
  readonly egress: EgressPolicy;
  /** For the User-Agent. */
  readonly version: string;
  /** Certificates to trust besides Node's own. */
  readonly ca?: string;
  /** Default: those of the system. */
  readonly nameServers?: readonly string[];
  /** Default: as many as leave file descriptors for everything else. */
  readonly connectionsMax?: number;
}

/** How long an idle connection is kept when the receiver does not say: shorter than the commonest servers' own patience (2 s). */
const IDLE_MS = 1500;
const IDLE_MAX_MS = 10_000;
/** For the body of a reply whose status line has said all: most come with it. */
const LEFTOVER_MS = 500;
const HEADERS_MAX_BYTES = 16 * 1024;
/** Of the file descriptors. The rest is for Redis, health checks, lookups and files, so that they work while many receivers hang. */
const CONNECTIONS_SHARE = 0.75;

export function createReceiverClient(options: ReceiverClientOptions): ReceiverClient {
  const { timeoutMs, replyCapBytes } = options;
  const connections = createConnections(
    {
      connect: createVettedConnector(options.egress, { timeoutMs, ca: options.ca, nameServers: options.nameServers }),
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MAX_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // The deadline below is stricter, and counts the whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    options.connectionsMax ?? Math.floor((openFilesMax() ?? Number.POSITIVE_INFINITY) * CONNECTIONS_SHARE),
  );
  const deps: ExchangeDeps = {
    connections,
    deadlines: createDeadlines(timeoutMs),
    leftovers: createDeadlines(Math.min(LEFTOVER_MS, timeoutMs)),
    replyCapBytes,
  };
  const post = createPost(deps, `Mailhook/${options.version}`);
  let pending = 0;
  return {
    async post(request) {
      pending += 1;
      try {
        return await post(request);
      } finally {
        pending -= 1;
      }
    },
    get pending() {
      return pending;
    },
    close: () => connections.close(),
  };
}

function createPost(deps: ExchangeDeps, userAgent: string): (request: OutgoingRequest) => Promise<TimedExchange> {
  const targetOf = createTargets();
  const client = createAxios(deps);
  return (request) => {
    const target = targetOf(request.address);
    if (target === undefined)
      return Promise.resolve({
        type: 'blocked',
        detail: 'the address is not an http(s) URL',
        durationMs: 0,
        isConnectionReused: false,
      });
    const outgoing = {
      ...target,
      body: request.body,
      headers: {
        'content-type': 'application/json;charset=UTF-8',
        'user-agent': userAgent,
        'accept-encoding': 'identity',
        ...request.headers,
      },
      needsBody: request.needsBody,
      handle: request.handle,
    };
    return request.needsBody ? postByAxios(client, request.address, outgoing) : exchange(deps, outgoing);
  };
}
