import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { aCertificate } from '@mailhook/testing';
import fc from 'fast-check';
import type { ReceiverClient } from './receiver-client.ts';
import { IDENTITY, receiverClientRig } from './receiver-client-rig.suite.ts';

const answer = (status: number, reason: string): string =>
  `HTTP/1.1 ${status} ${reason}\r\ncontent-length: 2\r\n\r\n[]`;
const OK = answer(200, 'OK');
const tls = aCertificate({ name: 'receiver.test' });

describe.each(['http', 'https'])('over %s, an answer counts only for the request that it answers', (scheme) => {
  const rig = receiverClientRig();
  let server: Server;
  let client: ReceiverClient;
  let sockets: Socket[];
  /** Writes the answer to a request. Resolves when the kernel of the client has it. */
  let reply: (socket: Socket, path: string) => void;
  let onConnection: (socket: Socket) => void;

  beforeEach(async () => {
    sockets = [];
    onConnection = () => undefined;
    reply = (socket) => socket.write(OK);
    const serve = (socket: Socket): void => {
      sockets.push(socket.setNoDelay(true).on('error', () => undefined));
      onConnection(socket);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (!text.endsWith(']')) return;
        const [, path = ''] = text.split(' ', 2);
        text = '';
        reply(socket, path);
      });
    };
    server = scheme === 'http' ? createServer(serve) : createTlsServer(tls, serve);
    client = rig.create({ ca: tls.cert });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const post = (path = '', account = 'a', body = '[]') =>
    client.post({
      ...IDENTITY,
      account,
      address: `${scheme}://receiver.test:${(server.address() as AddressInfo).port}/${path}`,
      body,
      needsBody: true,
    });
  const sent = (socket: Socket | undefined, bytes: string): Promise<void> =>
    new Promise((resolve) => socket?.write(bytes, () => resolve()));

  test('accounts share no connection, and each keeps its own', async () => {
    const reused: boolean[] = [];
    for (const account of ['a', 'b', 'a', 'b', 'c', 'b']) reused.push((await post('', account)).isConnectionReused);
    expect(reused).toEqual([false, false, true, true, false, true]);
    expect(sockets).toHaveLength(3);
  });

  test.each([
    ['a whole answer', OK],
    ['half a status line', 'HTTP/1.1 2'],
    ['an empty line', '\r\n'],
    ['an interim reply', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('%s that nobody asked for ends the connection before its next use', async (_what, bytes) => {
    await post();
    await sent(sockets[0], bytes);
    // The bytes wait in the kernel. The client has had no turn to read them.
    reply = (socket) => socket.write(answer(500, 'own'));
    const next = await post();
    expect(next).toMatchObject({ type: 'reply', status: 500, isConnectionReused: false });
    expect(next).not.toHaveProperty('isRepeated');
    expect(sockets).toHaveLength(2);
  });

  test('a refusal while the body is still being written counts, and its connection is not used again', async () => {
    onConnection = (socket) => {
      socket.once('data', () => {
        socket.pause().write(answer(413, 'too large'));
      });
    };
    expect(await post('', 'a', `[${'x'.repeat(30_000_000)}]`)).toMatchObject({ type: 'reply', status: 413 });
    onConnection = () => undefined;
    expect(await post()).toMatchObject({ type: 'reply', status: 200, isConnectionReused: false });
  });

  /** How a server breaks the order of answers on the connections of account `a`. */
  const behaviors = fc.constantFrom('right', 'doubled', 'doubled split', 'late', 'early', 'split');

  test('whatever a server does on the connections of one account, another one gets only its own answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), behaviors), { minLength: 2, maxLength: 12 }),
        fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
        async (posts, turns) => {
          let current = '';
          reply = (socket, path) => {
            const own = answer(path.startsWith('/b') ? 500 : 200, path);
            const [head, tail] = [own.slice(0, 20), own.slice(20)];
            if (path.startsWith('/b') || current === 'right') socket.write(own);
            else if (current === 'doubled') socket.write(own + own);
            else if (current === 'doubled split')
              socket.write(own + head, () => setImmediate(() => socket.write(tail)));
            else if (current === 'late') socket.write(own, () => setTimeout(() => socket.write(own), 1));
            else if (current === 'split') socket.write(head, () => setImmediate(() => socket.write(tail)));
            else socket.write(own, () => setImmediate(() => socket.write(answer(200, 'early'))));
          };
          for (const [index, [account, behavior]] of posts.entries()) {
            current = behavior;
            const exchange = await post(`${account}${index}`, account);
            if (account === 'b')
              expect(exchange).toMatchObject({ type: 'reply', status: 500, statusText: `/b${index}` });
            for (let turn = 0; turn < (turns[index] ?? 0); turn += 1)
              await new Promise<void>((resolve) => setImmediate(resolve));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a request of the same account gets its own answer, if what nobody asked for came before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('', OK, 'HTTP/1.1 2', '\r\n', OK + OK), { minLength: 1, maxLength: 10 }),
        async (extras) => {
          reply = (socket, path) => socket.write(answer(500, path));
          for (const [index, extra] of extras.entries()) {
            expect(await post(String(index))).toMatchObject({ type: 'reply', status: 500, statusText: `/${index}` });
            if (extra !== '') await sent(sockets.at(-1), extra);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('an answer on a new connection that came before the request', () => {
  const rig = receiverClientRig();

  test.each([
    ['is unreadable', OK, 'it came before the request: HTTP/1.1 200 OK'],
    ['may not be HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'it is not HTTP/1.1: it does not begin with HTTP/1.1'],
  ])('%s', async (_what, bytes, detail) => {
    const server = createServer((socket) => socket.on('error', () => undefined).write(bytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (const needsBody of [true, false]) {
      const exchange = await rig.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, needsBody);
      expect(exchange).toMatchObject({ type: 'invalid-reply', detail, wasSent: false });
    }
    server.close();
  });
});
