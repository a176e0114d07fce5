import { constants } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { serve } from './calls.ts';
import { monotonicMs } from './clock.ts';
import type { Behaviour, Expectation, Tally } from './tally.ts';
import { createTally } from './tally.ts';

/**
 * The receivers of all destinations: `POST /<run>/<destination>`. They acknowledge every event, count new ones, and
 * record when each arrived. They scan bodies and do not parse them, because the receivers share the two cores with the
 * measured processes.
 */
const tallies = new Map<string, Tally>();

interface Listening {
  /** Idle connections are closed after this, and replies say so. 0 keeps them and says nothing. */
  readonly keepMs: number;
  /** Replies do not say how long connections are kept. */
  readonly isSilent?: boolean;
  readonly tls?: Tls | undefined;
  /** Listens on 127.0.0.1 and the addresses after it. */
  readonly addresses?: number;
}

interface Tls {
  /** Both PEM. */
  readonly key: string;
  readonly cert: string;
  /** Every handshake is a full one. */
  readonly isWithoutSessions?: boolean;
}

/** What a server has counted so far. Resumed handshakes are handshakes too. */
export interface Opened {
  readonly connections: number;
  readonly handshakes: number;
  readonly resumed: number;
}

const openedAt = new Map<number, Opened>();

const receive: RequestListener = (request, response) => {
  const atMs = monotonicMs();
  const [, run = '', destination = ''] = (request.url ?? '').split('/');
  const tally = tallies.get(run);
  if (tally === undefined) {
    request.resume();
    response.writeHead(404).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => take(tally, Number(destination), response, atMs, chunks));
};

function take(tally: Tally, destination: number, response: ServerResponse, atMs: number, chunks: Buffer[]): void {
  const [first] = chunks;
  const body = (first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)).toString('latin1');
  const reply = tally.take(destination, body, atMs);
  if (reply === undefined) return;
  const answer = (): void => {
    tally.answered();
    response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': reply.body.length });
    response.end(reply.body, 'latin1');
  };
  if (reply.delayMs > 0) setTimeout(answer, reply.delayMs);
  else answer();
}

const handlers = {
  /** Returns the port of a new server. */
  listen: ({ keepMs, isSilent = false, tls, addresses = 1 }: Listening) =>
    new Promise<number>((resolve) => {
      const options = { keepAliveTimeout: keepMs, requestTimeout: 0, headersTimeout: 0 };
      const listener: RequestListener = (request, response) => {
        // Node adds the hint to its own header only.
        if (isSilent) response.setHeader('connection', 'keep-alive');
        receive(request, response);
      };
      const secureOptions = tls?.isWithoutSessions === true ? constants.SSL_OP_NO_TICKET : 0;
      const server =
        tls === undefined
          ? createServer(options, listener)
          : createTlsServer({ ...options, key: tls.key, cert: tls.cert, secureOptions }, listener);
      server.listen(0, '127.0.0.1', 4096, () => {
        const { port } = server.address() as AddressInfo;
        const opened = { connections: 0, handshakes: 0, resumed: 0 };
        openedAt.set(port, opened);
        server.on('connection', () => (opened.connections += 1));
        server.on('secureConnection', (socket: TLSSocket) => {
          opened.handshakes += 1;
          if (socket.isSessionReused()) opened.resumed += 1;
        });
        for (let n = 2; n <= addresses; n += 1) createServer(options, listener).listen(port, `127.0.0.${n}`, 4096);
        resolve(port);
      });
    }),
  opened: ({ port }: { port: number }) => openedAt.get(port),
  /** Begins a run and forgets earlier ones. */
  begin: ({ run, ...expectation }: Expectation & { run: string }) => {
    tallies.clear();
    tallies.set(run, createTally(expectation));
  },
  /** Begins another run beside the current ones. */
  also: ({ run, ...expectation }: Expectation & { run: string }) => {
    tallies.set(run, createTally(expectation));
  },
  behave: ({ run, behaviour }: { run: string; behaviour: Behaviour }) => tallies.get(run)?.behave(behaviour),
  /** Resolves with the count when `distinct` different events have arrived, or after `withinMs`. */
  until: ({ run, distinct, withinMs }: { run: string; distinct: number; withinMs: number }) =>
    tallies.get(run)?.until(distinct, withinMs),
  count: ({ run }: { run: string }) => tallies.get(run)?.count(),
  /** When each event first arrived, by number. 0 means never. */
  arrivals: ({ run }: { run: string }) => tallies.get(run)?.arrivals(),
};
export type ReceiversApi = typeof handlers;

serve(handlers);
