import { coded } from '@mailhook/core';
import type { Exchange } from '@mailhook/core';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { createVettedConnector, openFilesMax } from '@mailhook/platform/egress';
import { usableMemoryBytes } from '@mailhook/platform/http-server';
import { createDeadlines } from './deadlines.ts';
import { createAxios, postByAxios } from './axios-client.ts';
import { createConnections } from './connections.ts';
import type { DeliveryIdentity } from './delivery-headers.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { ExchangeDeps, ExchangeFacts, RequestHandle, TimedExchange } from './exchange.ts';
import { exchange } from './exchange.ts';
import { PARSER_HEADERS_MAX_BYTES } from './reply-bytes.ts';
import { createAddressParser } from './parse-address.ts';
import { createTurns } from './turns.ts';

/** What a request says, and who it is: the client makes its headers and signs it. */
interface OutgoingRequest extends DeliveryIdentity {
  /** Connections to receivers are not shared between accounts. */
  readonly account: string;
  readonly address: string;
  readonly body: string;
  /** Whether the outcome depends on the reply's body. If not, the client ignores the body. */
  readonly needsBody: boolean;
  /**
   * If the status line decides: waits up to 500 ms for the start of the body, and gives it as the body. Changes no
   * other result.
   */
  readonly readsStart?: boolean;
  /** Lets the caller end the request. */
  readonly handle?: RequestHandle | undefined;
}

/**
 * Sends requests, each under one deadline for the whole exchange. Failures of a receiver are results, never exceptions.
 */
export interface ReceiverClient {
  post(request: OutgoingRequest): Promise<Exchange & ExchangeFacts>;
  /** Requests in flight. */
  readonly pending: number;
  close(): Promise<void>;
}

export interface ReceiverClientOptions {
  /** The whole exchange, from the lookup of the name to the last byte of the reply. */
  readonly timeoutMs: number;
  /** Most bytes of a reply's body, after decompression. */
  readonly replyCapBytes: number;
  /** Bytes of a reply's body for `ExchangeFacts.received`. Default 0: nothing of a reply is kept. */
  readonly replyExcerptBytes?: number;
  readonly egress: EgressPolicy;
  /** `EGRESS_PROXY_URL`. Default: requests go to receivers directly. */
  readonly proxyUrl?: string | undefined;
  /** Certificates to trust besides Node's own. */
  readonly ca?: string;
  /** Default: the system's name servers. */
  readonly nameServers?: readonly string[];
  /** For the operator's log: the name of a receiver leads to a blocked address. */
  readonly onBlockedName?: (name: string, address: string, verdict: string) => void;
  /** Default: three quarters of the files that this process may open. */
  readonly connectionsMax?: number;
  /** `IDLE_CONNECTION_MAX`. A receiver's `Keep-Alive: timeout` shortens it. Default: 90 s. */
  readonly idleMaxMs?: number;
}

/** The line of the log for `onBlockedName`. */
export const BLOCKED_NAME = 'the name of a receiver leads to an address that Mailhook must not call';
/** The usual `replyCapBytes`. Correct replies are shorter. */
export const REPLY_CAP_BYTES = 1_048_576;
const IDLE_MAX_MS = 90_000;
/** Subtracted from a receiver's `Keep-Alive: timeout`, because a request takes time to arrive. */
const KEEP_ALIVE_MARGIN_MS = 500;
/** What an idle https connection costs, in its kernel buffers too. A plain one costs a fifth. */
const IDLE_CONNECTION_BYTES = 60_000;
/** Share of the memory of this process for idle connections. */
const IDLE_MEMORY_SHARE = 0.25;
/** The same for TLS sessions. Those of 100,000 origins need about 200 MB. */
const SESSION_MEMORY_SHARE = 0.05;
/** Time to read an unneeded body. Most bodies arrive together with the status line. */
const LEFTOVER_MS = 500;
/**
 * Share of the file descriptors for receivers. The rest is for Redis, health checks, lookups and files, so that they
 * work while many receivers hang.
 */
const CONNECTIONS_SHARE = 0.75;

export function createReceiverClient(options: ReceiverClientOptions): ReceiverClient {
  const { timeoutMs, replyCapBytes } = options;
  const memoryBytes = usableMemoryBytes();
  const idleMaxMs = options.idleMaxMs ?? IDLE_MAX_MS;
  const connections = createConnections({
    connector: createVettedConnector(options.egress, {
      timeoutMs,
      proxyUrl: options.proxyUrl,
      ca: options.ca,
      sessionBytesMax: Math.floor(memoryBytes * SESSION_MEMORY_SHARE),
      nameServers: options.nameServers,
      onBlockedName: options.onBlockedName,
    }),
    client: {
      pipelining: 1,
      keepAliveTimeout: idleMaxMs,
      keepAliveMaxTimeout: idleMaxMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      maxHeaderSize: PARSER_HEADERS_MAX_BYTES,
      // The deadline below is stricter, because it covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    connectionsMax:
      options.connectionsMax ?? Math.floor((openFilesMax() ?? Number.POSITIVE_INFINITY) * CONNECTIONS_SHARE),
    idleMax: Math.floor((memoryBytes * IDLE_MEMORY_SHARE) / IDLE_CONNECTION_BYTES),
  });
  const deps: ExchangeDeps = {
    connections,
    handshakes: createTurns(),
    inFlight: { count: 0 },
    deadlines: createDeadlines(timeoutMs),
    leftovers: createDeadlines(Math.min(LEFTOVER_MS, timeoutMs)),
    replyCapBytes,
    replyExcerptBytes: options.replyExcerptBytes ?? 0,
  };
  return {
    post: createPost(deps),
    get pending() {
      return deps.inFlight.count;
    },
    close: () => connections.close(),
  };
}

function createPost(deps: ExchangeDeps): (request: OutgoingRequest) => Promise<TimedExchange> {
  const parseAddress = createAddressParser();
  const client = createAxios(deps);
  return (request) => {
    const { account, address, body, needsBody, readsStart = false, handle } = request;
    const headers = deliveryHeaders(request, body, Date.now());
    const parsed = parseAddress(address);
    if (parsed === undefined)
      return Promise.resolve({
        type: 'blocked',
        detail: coded('not-url'),
        durationMs: 0,
        isConnectionReused: false,
        wasSent: false,
        headers,
      });
    const { origin, path } = parsed;
    const outgoing = { account, origin, path, body, headers, needsBody, readsStart, handle };
    return needsBody ? postByAxios(client, address, outgoing) : exchange(deps, outgoing);
  };
}
