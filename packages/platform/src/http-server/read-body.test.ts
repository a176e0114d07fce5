import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@mailhook/testing';
import { createMetrics } from '../metrics/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { createBodyBudget } from './body-budget.ts';
import type { ProblemError } from './problem.ts';
import { readBody } from './read-body.ts';

const KIB = 1024;
const LIMIT_BYTES = 40 * KIB;

/**
 * The server replies with the length and start of the body, or with the status of the problem. It keeps the reservation
 * of a body until the reply, and leaves that of a refused one to `readBody`.
 */
describe('readBody', () => {
  let server: Server;
  let bodies: BodyBudget;
  let metrics: ReturnType<typeof createMetrics>;
  let rules = {};
  const sockets: Socket[] = [];
  const outcomes: (number | string)[] = [];

  beforeEach(async () => {
    rules = {};
    outcomes.length = 0;
    metrics = createMetrics();
    // This budget gives each account 64 KiB.
    bodies = createBodyBudget({ maxBytes: 1024 * KIB, metrics });
    server = createServer((request, response) => {
      const reservation = bodies.open('account', String(request.headers['x-account']));
      readBody(request, response, { limitBytes: LIMIT_BYTES, reservation, ...rules })
        .then(
          (body) => ({ status: 200, text: `${body.length} ${body.subarray(0, 5).toString()}` }),
          (error: unknown) => ({ status: (error as ProblemError).status, text: (error as ProblemError).detail ?? '' }),
        )
        .then(({ status, text }) => {
          outcomes.push(status);
          response.writeHead(status).end(text);
          if (status === 200) reservation.release();
        })
        .catch((error: unknown) => outcomes.push(String(error)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const inFlight = async (): Promise<number> =>
    Number(/^mailhook_body_bytes_in_flight (\d+)/m.exec(await metrics.registry.metrics())?.[1]);

  /** A connection and the data that it received. */
  function open() {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    const seen = { text: '', isClosed: false };
    socket.on('data', (data) => (seen.text += data.toString()));
    socket.on('close', () => (seen.isClosed = true));
    socket.on('error', () => undefined);
    const head = (headers: string): void =>
      void socket.write(`POST / HTTP/1.1\r\nhost: x\r\nx-account: a\r\n${headers}\r\n\r\n`);
    const answered = (part: string) => eventually(() => seen.text.includes(part), { what: `the answer ${part}` });
    return { socket, seen, head, answered };
  }

  it('reads a body in any number of parts, and keeps the connection', async () => {
    const { socket, seen, head, answered } = open();
    head('content-length: 5');
    socket.write('whole');
    await answered('5 whole');
    head('transfer-encoding: chunked');
    for (const letter of 'abcdefgh'.repeat(500)) socket.write(`1\r\n${letter}\r\n`);
    socket.write('0\r\n\r\n');
    await answered('4000 abcde');
    expect(seen.isClosed).toBe(false);
    expect(await inFlight()).toBe(0);
  });

  it('reserves the bytes that have arrived, not the Content-Length', async () => {
    const { socket, head } = open();
    head(`content-length: ${LIMIT_BYTES}`);
    await eventually(async () => (await inFlight()) === 0, { what: 'nothing reserved' });
    socket.write('x'.repeat(3000));
    await eventually(async () => (await inFlight()) >= 3000, { what: 'what has arrived' });
    expect(await inFlight()).toBeLessThanOrEqual(6000);
    socket.destroy();
    await eventually(async () => (await inFlight()) === 0, { what: 'the release' });
    expect(outcomes).toEqual([400]);
  });

  it('refuses a body with 503 and closes its connection when the budget is used up, but reads others', async () => {
    const first = open();
    first.head(`content-length: ${LIMIT_BYTES}`);
    first.socket.write('x'.repeat(LIMIT_BYTES - 1));
    await eventually(async () => (await inFlight()) >= LIMIT_BYTES - 1, { what: 'the first body' });
    const second = open();
    second.head(`content-length: ${LIMIT_BYTES}`);
    second.socket.write('y'.repeat(30 * KIB));
    await second.answered('503 Service Unavailable');
    await eventually(() => second.seen.isClosed, { what: 'the end of the connection' });
    first.socket.write('x');
    await first.answered(`${LIMIT_BYTES} xxxxx`);
    const third = open();
    third.head('content-length: 5');
    third.socket.write('third');
    await third.answered('5 third');
  });

  it('keeps the connection of a refused body that has arrived completely', async () => {
    const first = open();
    first.head(`content-length: ${LIMIT_BYTES}`);
    first.socket.write('x'.repeat(LIMIT_BYTES - 1));
    await eventually(async () => (await inFlight()) >= LIMIT_BYTES - 1, { what: 'the first body' });
    const second = open();
    const body = 'y'.repeat(30 * KIB);
    second.socket.write(`POST / HTTP/1.1\r\nhost: x\r\nx-account: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await second.answered('503 Service Unavailable');
    second.head('content-length: 5');
    second.socket.write('again');
    await second.answered('5 again');
  });

  it.each([
    ['a declared length', `content-length: ${LIMIT_BYTES + 1}`, ''],
    ['parts', 'transfer-encoding: chunked', `a001\r\n${'x'.repeat(LIMIT_BYTES + 1)}\r\n`],
  ])('refuses with 413 a body that is too long by %s', async (_what, headers, body) => {
    const { socket, seen, head, answered } = open();
    head(headers);
    socket.write(body);
    await answered('413 Payload Too Large');
    await eventually(() => seen.isClosed, { what: 'the end of the connection' });
    expect(await inFlight()).toBe(0);
  });

  it("refuses with 413 a body that is larger than its sender's whole budget", async () => {
    bodies = createBodyBudget({ maxBytes: 16 * KIB, metrics: createMetrics() });
    const { head, answered } = open();
    head('content-length: 1025');
    await answered('larger than 1 KiB. Send less data per request.');
  });

  it('refuses with 408 a body that pauses for too long', async () => {
    rules = { idleMs: 50 };
    const { socket, head, answered } = open();
    head('content-length: 100');
    socket.write('x');
    await answered('408 Request Timeout');
    expect(await inFlight()).toBe(0);
  });

  it('refuses with 408 a body that arrives too slowly', async () => {
    rules = { withinMs: 50 };
    const { socket, head, answered } = open();
    head('content-length: 1000');
    const drip = setInterval(() => socket.write('x'), 10);
    await answered('408 Request Timeout').finally(() => clearInterval(drip));
  });
});
