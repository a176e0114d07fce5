import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { Server, ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { aCertificate, startConnectProxy } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { receiverClientRig } from './receiver-client-rig.suite.ts';

const tls = aCertificate({ name: 'receiver.test' });

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('sessions of %s', (version) => {
  const rig = receiverClientRig();
  const servers: Server[] = [];
  /** For each handshake, whether it resumed a session. */
  let resumed: boolean[];

  beforeEach(() => {
    resumed = [];
    rig.names.setName('other.test', ['127.0.0.1']);
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A server that closes each connection after its reply. */
  const serve = async (more: ServerOptions = {}): Promise<Server> => {
    const limits = { minVersion: version, maxVersion: version };
    const server = createServer({ ...tls, ...limits, ...more }, (_request, reply) => {
      reply.writeHead(200, { connection: 'close' }).end('[]');
    });
    server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return server;
  };
  const post = (server: Server, client: ReceiverClient, name = 'receiver.test') =>
    rig.post(`https://${name}:${(server.address() as AddressInfo).port}/`, true, client);
  const delivered = { type: 'reply', status: 200 };

  test('are resumed', async () => {
    const server = await serve();
    const client = rig.create({ ca: tls.cert });
    for (let i = 0; i < 3; i += 1) expect(await post(server, client)).toMatchObject(delivered);
    // A dot at the end is no other server.
    expect(await post(server, client, 'receiver.test.')).toMatchObject(delivered);
    expect(resumed).toEqual([false, true, true, true]);
    await client.close();
  });

  test('are resumed through a proxy, over TLS too', async () => {
    const server = await serve();
    const proxyTls = aCertificate({ name: 'localhost' });
    const proxy = await startConnectProxy({ tls: proxyTls });
    const proxyUrl = `https://localhost:${new URL(proxy.url).port}`;
    const client = rig.create({ ca: `${tls.cert}\n${proxyTls.cert}`, proxyUrl });
    for (let i = 0; i < 3; i += 1) expect(await post(server, client)).toMatchObject(delivered);
    expect(resumed).toEqual([false, true, true]);
    await client.close();
    await proxy.close();
  });

  test('that the server no longer knows lead to a full handshake in the same attempt', async () => {
    const server = await serve();
    const client = rig.create({ ca: tls.cert });
    await post(server, client);
    server.setTicketKeys(randomBytes(48));
    expect(await post(server, client)).toMatchObject(delivered);
    expect(await post(server, client)).toMatchObject(delivered);
    expect(resumed).toEqual([false, false, true]);
    await client.close();
  });

  test('that break the handshake are forgotten, in the same attempt', async () => {
    const server = await serve();
    const client = rig.create({ ca: tls.cert });
    await post(server, client);
    let broken = 0;
    server.prependOnceListener('connection', (socket: { destroy: () => void }) => {
      broken += 1;
      socket.destroy();
    });
    expect(await post(server, client)).toMatchObject(delivered);
    expect([broken, resumed]).toEqual([1, [false, false]]);
    await client.close();
  });

  test('of another port or another client are not used', async () => {
    const [server, other] = [await serve(), await serve()];
    const [client, stranger] = [rig.create({ ca: tls.cert }), rig.create({ ca: tls.cert })];
    await post(server, client);
    await post(other, client);
    await post(server, stranger);
    expect(resumed).toEqual([false, false, false]);
    await Promise.all([client.close(), stranger.close()]);
  });

  test('of a server with a certificate for another name are not kept', async () => {
    const server = await serve();
    const client = rig.create({ ca: tls.cert });
    await post(server, client);
    for (let i = 0; i < 2; i += 1) {
      expect(await post(server, client, 'other.test')).toMatchObject({
        type: 'unreachable',
        detail: 'TLS: the certificate is for another name',
      });
    }
    expect(resumed.slice(1)).not.toContain(true);
    await client.close();
  });
});
