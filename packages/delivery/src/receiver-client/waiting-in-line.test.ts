import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createVettedConnector } from '@mailhook/platform/egress';
import { aCertificate, eventually } from '@mailhook/testing';
import { createConnections } from './connections.ts';
import { createDeadlines } from './deadlines.ts';
import type { ExchangeRequest, RequestHandle } from './exchange.ts';
import { exchange } from './exchange.ts';
import { CAP_BYTES, open } from './receiver-client-rig.suite.ts';

const tls = aCertificate({ name: 'localhost' });

describe('a request that waits for its turn to make a TLS connection', () => {
  let server: Server;
  let replied: number;
  let isClosing: boolean;
  const line: (() => boolean)[] = [];
  const connections = createConnections({
    connector: createVettedConnector(open, { timeoutMs: 10_000, ca: tls.cert }),
    client: { pipelining: 1 },
    connectionsMax: 10,
    idleMax: 10,
  });
  const deadlines = createDeadlines(10_000);
  const start = jest.spyOn(deadlines, 'start');
  const deps = {
    connections,
    handshakes: (_account: string, task: () => boolean) => void line.push(task),
    inFlight: { count: 0 },
    deadlines,
    leftovers: createDeadlines(10_000),
    replyCapBytes: CAP_BYTES,
    replyExcerptBytes: 0,
  };

  beforeAll(async () => {
    server = createServer(tls, (_request, reply) => {
      replied += 1;
      if (isClosing) reply.setHeader('connection', 'close');
      reply.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    replied = 0;
    isClosing = false;
    line.length = 0;
    start.mockClear();
  });
  afterAll(async () => {
    await connections.close();
    server.close();
  });

  const aRequest = (handle: RequestHandle): ExchangeRequest => ({
    account: 'a',
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    path: '/',
    body: '[]',
    headers: {},
    needsBody: true,
    readsStart: false,
    handle,
  });

  test('has no deadline until then, so that a receiver is not blamed for our wait', async () => {
    const handle: RequestHandle = { cut: undefined, isInLine: false };
    const sent = exchange(deps, aRequest(handle));
    expect(handle.isInLine).toBe(true);
    expect(start).not.toHaveBeenCalled();
    expect(line.map((task) => task())).toEqual([true]);
    expect(handle.isInLine).toBe(false);
    expect(start).toHaveBeenCalledTimes(1);
    expect(await sent).toMatchObject({ type: 'reply', status: 200 });

    // A kept connection waits in no line.
    expect(await exchange(deps, aRequest(handle))).toMatchObject({ type: 'reply', isConnectionReused: true });
    expect(line).toHaveLength(1);
  });

  test('can be cut, and sends nothing when its turn comes', async () => {
    const handle: RequestHandle = { cut: undefined, isInLine: false };
    const other = { ...aRequest(handle), origin: aRequest(handle).origin.replace('localhost', '127.0.0.1') };
    const sent = exchange(deps, other);
    handle.cut?.();
    expect(await sent).toMatchObject({ type: 'cut', wasSent: false });
    expect(line.map((task) => task())).toEqual([false]);
    expect({ replied, inFlight: deps.inFlight.count }).toEqual({ replied: 0, inFlight: 0 });
  });

  test('comes again for a request that finds its kept connection closed', async () => {
    isClosing = true;
    const handle: RequestHandle = { cut: undefined, isInLine: false };
    for (let count = 1; count <= 3; count += 1) {
      const sent = exchange(deps, { ...aRequest(handle), account: 'b' });
      await eventually(() => line.length === count, { what: 'the request in the line' });
      expect(line.at(-1)?.()).toBe(true);
      expect(await sent).toMatchObject({ type: 'reply', isConnectionReused: false });
    }
  });
});
