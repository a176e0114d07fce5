import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { aCertificate } from '@mailhook/testing';
import { receiverClientRig } from './receiver-client-rig.suite.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

/** Replies that curl and browsers may read, and what Mailhook says about them. */
const NOT_HTTP: readonly (readonly [string, string | Buffer, string])[] = [
  ['lines without CR', 'HTTP/1.1 200 OK\ncontent-length: 2\n\n[]', 'its lines end without CR'],
  ['a header line without CR', `${OK}content-length: 2\n\r\n[]`, 'its lines end without CR'],
  ['lines without LF', 'HTTP/1.1 200 OK\rcontent-length: 2\r\r[]', 'its lines end without LF'],
  [
    'chunked, then a length',
    `${OK}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    'it has both Content-Length and Transfer-Encoding',
  ],
  [
    'a length, then chunked',
    `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    'it has both Content-Length and Transfer-Encoding',
  ],
  ['two equal lengths', `${OK}content-length: 2\r\nContent-Length: 2\r\n\r\n[]`, 'it has Content-Length twice'],
  ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`, 'it has Content-Length twice'],
  ['a list of lengths', `${OK}content-length: 2, 2\r\n\r\n[]`, 'its Content-Length is not one number'],
  ['a text as length', `${OK}content-length: two\r\n\r\n[]`, 'its Content-Length is not one number'],
  ['a space before the colon', `${OK}x : 1\r\n\r\n[]`, 'the name of a header has an invalid character'],
  [
    'a space before the colon, after the length',
    `${OK}content-length: 2\r\nx : 1\r\n\r\n[]`,
    'a header line is invalid',
  ],
  ['a space in a name', `${OK}x y: 1\r\n\r\n[]`, 'the name of a header has an invalid character'],
  ['a folded header', `${OK}x: a\r\n b\r\n\r\n[]`, 'a header goes on in the next line'],
  ['a control character', `${OK}x: a\0b\r\n\r\n[]`, 'the value of a header has an invalid character'],
  ['HTTP/2 as text', 'HTTP/2 200\r\n\r\n[]', 'its version is not 1.0 or 1.1'],
  ['HTTP/2', Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]), 'it is HTTP/2'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n[]', 'its status is not a number from 100 to 999'],
  ['text', 'SSH-2.0-OpenSSH_9.2\r\n', 'it does not begin with HTTP/1.1'],
  ['JSON alone', '[]', 'it does not begin with HTTP/1.1'],
  ['TLS', Buffer.from([0x15, 3, 1, 0, 2, 2, 0x0a]), 'it is TLS, so the address must begin with https://'],
  ['a wrong chunk', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n`, 'the size of a chunk is not a number'],
  [
    'a chunk that is too long',
    `${OK}transfer-encoding: chunked\r\n\r\n1\r\n[]\r\n0\r\n\r\n`,
    'a chunk is longer than its size says',
  ],
  [
    'an upgrade',
    'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'it wants to change the protocol (101)',
  ],
];

describe('the texts about replies that cannot be read', () => {
  const rig = receiverClientRig();

  test.each(NOT_HTTP)('%s', async (_what, rawBytes, cause) => {
    rig.answering({ rawBytes });
    const detail = `it is not HTTP/1.1: ${cause}`;
    expect(await rig.post(rig.receiver.url)).toMatchObject({ type: 'invalid-reply', detail });
  });

  test('also on a connection that was used before', async () => {
    rig.answering({ json: [] });
    expect(await rig.post(rig.receiver.url)).toMatchObject({ type: 'reply' });
    rig.answering({ rawBytes: `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\n[]` });
    expect(await rig.post(rig.receiver.url)).toMatchObject({
      type: 'invalid-reply',
      isConnectionReused: false,
      detail: 'it is not HTTP/1.1: it has Content-Length twice',
    });
    expect(rig.receiver.connections.total).toBe(1);
  });

  test('a notification is delivered by its status, however the body ends', async () => {
    rig.answering({ rawBytes: `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n` });
    expect(await rig.post(rig.receiver.url, false)).toMatchObject({ type: 'reply', status: 200 });
  });
});

describe('the texts about connections that break', () => {
  const rig = receiverClientRig();
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const tls = aCertificate({ name: 'receiver.test' });

  const listening = async (server: Server): Promise<number> => {
    servers.push(server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const detailOf = async (scheme: string, port: number, ca = tls.cert): Promise<unknown> => {
    const client = rig.create({ ca });
    const exchange = await rig.post(`${scheme}://receiver.test:${port}/`, true, client);
    await client.close();
    return Reflect.get(exchange, 'detail');
  };
  const secure = (options: object): Server =>
    createTlsServer({ ...tls, ...options }).on('tlsClientError', () => undefined);

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  test.each([
    [
      'https',
      'closes it',
      (socket: Socket) => socket.end(),
      'TLS: the server closed the connection during the handshake',
    ],
    [
      'https',
      'speaks HTTP',
      (socket: Socket) => socket.end(`${OK}\r\n`),
      'TLS: the server does not speak TLS on this port',
    ],
    [
      'http',
      'closes it',
      (socket: Socket) => socket.end(),
      'the connection was closed without a reply; if the server expects TLS on this port, the address must begin with https://',
    ],
    [
      'http',
      'closes it in the reply',
      (socket: Socket) => socket.end(`${OK}content-length: 9\r\n\r\n[]`),
      'the connection was closed before the reply was complete',
    ],
  ] as const)('%s to a server that %s', async (scheme, _what, answer, detail) => {
    const port = await listening(createServer((socket) => socket.once('data', () => answer(socket))));
    expect(await detailOf(scheme, port)).toEqual(detail);
  });

  test.each([
    ['TLS 1.3', {}, 'TLS: the server wants a client certificate, and Mailhook has none'],
    [
      'TLS 1.2',
      { maxVersion: 'TLSv1.2' },
      'TLS: the server refuses the handshake; it may want a client certificate, or other ciphers',
    ],
  ])('a server that wants a client certificate, with %s', async (_version, options, detail) => {
    const port = await listening(secure({ ...options, requestCert: true, rejectUnauthorized: true, ca: tls.cert }));
    expect(await detailOf('https', port)).toEqual(detail);
  });

  test('a server with old versions of TLS', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    expect(await detailOf('https', await listening(secure(old)))).toEqual('TLS: the server has no version from 1.2 on');
  });

  test('a certificate for clients', async () => {
    const forClients = aCertificate({ name: 'receiver.test', isForClients: true });
    const port = await listening(secure(forClients));
    expect(await detailOf('https', port, forClients.cert)).toEqual(
      'TLS: the certificate is not accepted (INVALID_PURPOSE: unsuitable certificate purpose)',
    );
  });
});
