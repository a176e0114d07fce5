import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { eventually } from '@mailhook/testing';
import { receiverClientRig } from './receiver-client-rig.suite.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const COME_FIRST = 'more than 20 interim replies (1xx) or empty lines, or 16384 bytes of them, come first';
const HEAD = 'its headers are too long, or come in too many pieces';
const BODY = 'its body comes in too many pieces, or with too long chunk sizes, extensions or trailers';
/** What the sockets of both sides may hold, although the client no longer reads. */
const BUFFERED_BYTES_MAX = 8_000_000;

/** What a receiver sends first, what it then repeats without end, and how the client ends it. */
const FLOODS: readonly (readonly [string, string, string, string])[] = [
  ['102', '', 'HTTP/1.1 102 Processing\r\n\r\n', COME_FIRST],
  ['100', '', 'HTTP/1.1 100 Continue\r\n\r\n', COME_FIRST],
  ['103 with long headers', '', `HTTP/1.1 103 Early Hints\r\nx: ${'y'.repeat(8000)}\r\n\r\n`, COME_FIRST],
  ['header lines of one interim reply', 'HTTP/1.1 103 Early Hints\r\n', 'a: b\r\n', COME_FIRST],
  ['empty lines', '', '\r\n', COME_FIRST],
  ['CR alone', '', '\r', COME_FIRST],
  ['empty lines after an interim reply', 'HTTP/1.1 102 Processing\r\n\r\n', '\r\n', COME_FIRST],
  ['a reason phrase', 'HTTP/1.1 200 ', 'x', HEAD],
  ['header lines', OK, 'a: b\r\n', HEAD],
  ['empty headers', OK, 'a:\r\n', HEAD],
  ['spaces in a header', `${OK}a:`, ' ', HEAD],
  ['one header', `${OK}a:`, 'x', HEAD],
  ['an extension of a chunk', `${CHUNKED}1;a=`, 'x', BODY],
  ['zeros of a chunk size', CHUNKED, '0', BODY],
  ['tiny chunks', CHUNKED, '1\r\na\r\n', BODY],
  ['trailers', `${CHUNKED}0\r\n`, 'a: b\r\n', BODY],
  ['spaces in a trailer', `${CHUNKED}2\r\n[]\r\n0\r\na:`, ' ', BODY],
];

describe('a flood of a receiver', () => {
  const rig = receiverClientRig();
  let server: Server;
  let sockets: Socket[];
  /** Sends the flood, from the first byte of a request on. */
  let send: (socket: Socket) => void;

  beforeEach(async () => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket.setNoDelay(true).on('error', () => undefined));
      socket.once('data', () => send(socket)).resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const post = (needsBody: boolean, by = rig.client) =>
    rig.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, needsBody, by);
  const whenClosed = () =>
    eventually(() => sockets.every(({ closed }) => closed), { what: 'the end of all connections' });

  const repeats = (start: string, unit: string) => {
    const block = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
    return (socket: Socket): void => {
      const pump = (): void => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.write(start);
      socket.on('drain', pump);
      pump();
    };
  };

  test.each(FLOODS)('of %s ends by its bytes, long before the deadline', async (_what, start, unit, detail) => {
    send = repeats(start, unit);
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => post(true)));
    for (const exchange of exchanges) expect(exchange).toMatchObject({ type: 'invalid-reply', detail });
    await whenClosed();
    for (const { bytesWritten } of sockets) expect(bytesWritten).toBeLessThan(BUFFERED_BYTES_MAX);
  });

  test.each(FLOODS.filter(([, , , detail]) => detail === BODY))(
    'of %s after a status that decides ends the connection, not the result',
    async (_what, start, unit) => {
      send = repeats(start, unit);
      expect(await post(false)).toMatchObject({ type: 'reply', status: 200 });
      await whenClosed();
    },
  );

  test.each([
    ['of the head', `${OK}x: `, HEAD],
    ['of the body', `${OK}content-length: 60000\r\n\r\n`, BODY],
  ])('of single bytes %s ends by their number', async (_what, start, detail) => {
    send = (socket) => {
      const drip = (): void => {
        if (!socket.destroyed) socket.write('x', () => setImmediate(drip));
      };
      socket.write(start, drip);
    };
    const patient = rig.create({ timeoutMs: 60_000 });
    expect(await post(true, patient)).toMatchObject({ type: 'invalid-reply', detail });
    await patient.close();
  });

  test('on an idle connection ends with its first bytes', async () => {
    send = (socket) => socket.write(`${OK}content-length: 2\r\n\r\n[]`);
    expect(await post(true)).toMatchObject({ type: 'reply' });
    for (const socket of sockets) repeats('', '\r\n')(socket);
    await whenClosed();
  });

  test.each([
    ['20 interim replies', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)],
    ['a few that are long', `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(7000)}\r\n\r\n`.repeat(2)],
    ['20 empty lines', '\r\n'.repeat(20)],
  ])('is none: %s', async (_what, first) => {
    send = (socket) => socket.write(`${first}${OK}x: ${'y'.repeat(14_000)}\r\ncontent-length: 2\r\n\r\n[]`);
    expect(await post(true)).toMatchObject({ type: 'reply', status: 200, body: '[]' });
  });

  test('is none: a body of which each token is a chunk', async () => {
    const tokens = Array.from({ length: 1000 }, () => [
      '{"',
      'hash',
      '":"',
      'h'.repeat(40),
      '","',
      'status',
      '":',
      '1}',
    ]);
    const chunk = (token: string): string => `${token.length.toString(16)}\r\n${token}\r\n`;
    send = (socket) => socket.write(`${CHUNKED}${tokens.flat().map(chunk).join('')}0\r\n\r\n`);
    expect(await post(true)).toMatchObject({ type: 'reply', status: 200, body: tokens.flat().join('') });
  });

  test('that begins late is a timeout, judged by the clock and not by the timer', async () => {
    let startedMs = 0;
    send = (socket) => {
      while (performance.now() < startedMs + 450);
      socket.write(`${OK}content-length: 2\r\n\r\n[]`);
    };
    startedMs = performance.now();
    expect(await post(true, rig.hasty)).toMatchObject({ type: 'timeout' });
  });
});
