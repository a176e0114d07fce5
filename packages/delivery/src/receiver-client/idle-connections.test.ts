import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVettedConnector } from '@mailhook/platform/egress';
import { eventually } from '@mailhook/testing';
import { createConnections } from './connections.ts';
import { open, receiverClientRig } from './receiver-client-rig.suite.ts';

describe('idle connections', () => {
  const rig = receiverClientRig();

  test('are closed after IDLE_CONNECTION_MAX', async () => {
    const client = rig.create({ idleMaxMs: 100 });
    await rig.post(`http://receiver.test:${rig.receiver.port}/`, true, client);
    await rig.receiver.waitForOpenConnections(0);
    await client.close();
  });

  test('are closed before the receiver would close them, half a second before the end of its hint', async () => {
    let closedByClient = false;
    const server = createServer((_request, reply) => {
      reply.setHeader('keep-alive', 'timeout=1').end('[]');
    });
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => socket.once('end', () => (closedByClient = true)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await rig.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await eventually(() => closedByClient, { what: 'the end of the connection' });
    server.close();
  });

  test('beyond their number are closed, the one that has been idle longest first', async () => {
    const connector = createVettedConnector(open, { timeoutMs: 1000 });
    const connections = createConnections({ connector, client: {}, connectionsMax: 100, idleMax: 2 });
    const acquire = (name: string) => {
      const connection = connections.acquire('account', `http://${name}.test`);
      if (connection === undefined) throw new Error('there is no room');
      return connection;
    };
    const used = ['a', 'b', 'c'].map(acquire);
    const [a, b] = used;
    const closed = (): readonly boolean[] => used.map(({ client }) => client.destroyed);
    for (const connection of used) connections.release(connection);
    expect(closed()).toEqual([true, false, false]);
    // b is used again, so c is the oldest now.
    const again = acquire('b');
    expect(again).toBe(b);
    connections.release(again);
    const other = acquire('a');
    expect(other).not.toBe(a);
    connections.release(other);
    expect(closed()).toEqual([true, false, true]);
    await connections.close();
  });
});
