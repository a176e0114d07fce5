import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { aCertificate, startReceiver } from '@mailhook/testing';
import { receiverClientRig } from './receiver-client-rig.suite.ts';

/** A body that looks like an interim reply stays as it is. */
const BODY = 'HTTP/1.1 100 Continue\r\n\r\n';
const SEVERAL =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </100>\r\n\r\nHTTP/1.1 100 Continue\r\nx: 100\r\n\r\n' +
  `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

describe('unrequested interim replies are skipped', () => {
  const rig = receiverClientRig();
  const { create, post } = rig;

  test.each([true, false])('several in one chunk (body needed: %s)', async (needsBody) => {
    rig.answering({ rawBytes: SEVERAL });
    expect(await post(rig.receiver.url, needsBody)).toMatchObject({
      type: 'reply',
      status: 200,
      body: needsBody ? BODY : undefined,
    });
  });

  test('over TLS', async () => {
    const tls = aCertificate({ name: 'receiver.test' });
    const secure = await startReceiver({ tls, reply: () => ({ rawBytes: SEVERAL }) });
    const client = create({ ca: tls.cert });
    expect(await post(`https://receiver.test:${secure.port}/`, true, client)).toMatchObject({
      type: 'reply',
      body: BODY,
    });
    await client.close();
    await secure.close();
  });

  test('an interim reply alone is not a reply', async () => {
    rig.answering({ rawBytes: 'HTTP/1.1 100 Continue\r\n\r\n' });
    expect(await post(rig.receiver.url)).toMatchObject({ type: 'unreachable' });
  });

  test('byte by byte, on a new connection and on a used one', async () => {
    const server = createServer((socket) => {
      socket.setNoDelay(true).on('data', () => void drip(socket));
    });
    const drip = async (socket: Socket): Promise<void> => {
      for (const byte of Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]')) {
        await new Promise<void>((resolve) => socket.write(Buffer.of(byte), () => setImmediate(resolve)));
      }
    };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const exchanges = [await post(address), await post(address), await post(address, false), await post(address)];
    expect(exchanges.map(({ type, isConnectionReused }) => [type, isConnectionReused])).toEqual([
      ['reply', false],
      ['reply', true],
      ['reply', true],
      ['reply', expect.any(Boolean)],
    ]);
    server.close();
  });
});
