import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { TIMEOUT_MS, receiverClientRig } from './receiver-client-rig.suite.ts';

async function connectedPair(): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const accepted = once(listener, 'connection') as Promise<[Socket]>;
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const [server] = await accepted;
  listener.close();
  return { client, server };
}

describe('the deadline of the receiver client', () => {
  const rig = receiverClientRig();
  const { post } = rig;

  test.each([true, false])('a late reply is a timeout, even if many are due together (body: %s)', async (needsBody) => {
    let answer = (): void => undefined;
    const isTime = new Promise<void>((resolve) => {
      answer = resolve;
    });
    rig.receiver.setReply(() => isTime.then(() => ({ json: [] })));
    const posts = Array.from({ length: 400 }, () => post(rig.receiver.url, needsBody, rig.hasty));
    // All deadlines are running by then. The replies arrive while the first requests are being cut.
    setImmediate(() => setTimeout(answer, TIMEOUT_MS + 5));
    const types = (await Promise.all(posts)).map(({ type }) => type);
    // On a slow machine, some connections are not made in time.
    expect(types.filter((type) => type !== 'timeout' && type !== 'unreachable')).toEqual([]);
    expect(types).toContain('timeout');
    await rig.receiver.waitForOpenConnections(0);
  });

  test('a reply that is read after the deadline is a timeout, even if the timer has not run yet', async () => {
    const neighbor = await connectedPair();
    let startedMs = 0;
    neighbor.server.on('data', () => {
      // Blocks the event loop past the deadline, between two sockets that became readable together.
      while (performance.now() < startedMs + TIMEOUT_MS + 50);
    });
    rig.receiver.setReply(() => {
      neighbor.client.write('x');
      return { json: [] };
    });
    startedMs = performance.now();
    const exchange = await post(rig.receiver.url, false, rig.hasty);
    neighbor.client.destroy();
    neighbor.server.destroy();
    expect(exchange).toMatchObject({ type: 'timeout' });
  });
});
