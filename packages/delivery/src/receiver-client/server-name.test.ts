import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { aCertificate, startConnectProxy } from '@mailhook/testing';
import { receiverClientRig } from './receiver-client-rig.suite.ts';

describe('a host name with a dot at the end', () => {
  const rig = receiverClientRig();
  const tls = aCertificate({ name: 'receiver.test' });
  const seen: { host: string | undefined; serverName: unknown }[] = [];
  let server: Server;

  beforeEach(async () => {
    seen.length = 0;
    server = createServer(tls, (request, reply) => {
      // Servers in Go refuse a handshake with a dot at the end of this name (RFC 6066, section 3).
      seen.push({ host: request.headers.host, serverName: Reflect.get(request.socket, 'servername') });
      reply.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['receiver.test.', 'receiver.test'],
    ['receiver.test', 'receiver.test'],
  ])(
    '%s: the TLS name has no dot, directly and through a proxy; Host is as it was entered',
    async (host, serverName) => {
      const { port } = server.address() as AddressInfo;
      const proxyTls = aCertificate({ name: 'localhost' });
      const proxy = await startConnectProxy({ tls: proxyTls });
      const ca = `${tls.cert}\n${proxyTls.cert}`;
      const direct = rig.create({ ca });
      const through = rig.create({ ca, proxyUrl: `https://localhost.:${new URL(proxy.url).port}` });
      for (const client of [direct, through]) {
        expect(await rig.post(`https://${host}:${port}/`, true, client)).toMatchObject({ type: 'reply', status: 200 });
        await client.close();
      }
      await proxy.close();
      expect(seen).toEqual(Array.from({ length: 2 }, () => ({ host: `${host}:${port}`, serverName })));
    },
  );

  test('a certificate for another name is refused', async () => {
    const { port } = server.address() as AddressInfo;
    const client = rig.create({ ca: tls.cert });
    expect(await rig.post(`https://localhost.:${port}/`, true, client)).toMatchObject({
      detail: 'TLS: the certificate is for another name',
    });
    await client.close();
  });
});
