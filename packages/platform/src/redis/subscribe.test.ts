import { eventually, startRedis, uniqueName } from '@mailhook/testing';
import { connectRedis, whenReady } from './connect.ts';
import { subscribe } from './subscribe.ts';

test('a subscriber that is closed right after a reconnection leaves no rejected promise behind', async () => {
  const server = await startRedis();
  const client = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
  try {
    await whenReady(client, 5000);
    let gaps = 0;
    const subscription = await subscribe({
      client,
      channel: uniqueName(),
      onMessage: () => undefined,
      onGap: () => (gaps += 1),
    });
    // Before Redis can answer the new subscription.
    client.once('ready', () => {
      client.disconnect();
      (client as unknown as { stream: { destroy(): void } }).stream.destroy();
    });
    await server.kill();
    await server.restart();
    await eventually(() => client.status === 'end' && gaps === 1, { what: 'the end of the connection' });
    // Jest fails the test if a rejected promise is left.
    await new Promise((resolve) => setImmediate(resolve));
    subscription.close();
  } finally {
    await server.stop();
  }
});
