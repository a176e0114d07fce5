import type { TcpProxy, TestRedis, TestSentinel } from '@mailhook/testing';
import { eventually, SENTINEL_PASSWORD, startRedis, startSentinel, startTcpProxy } from '@mailhook/testing';
import type { Redis } from './connect.ts';
import { closeRedis, connectRedis, duplicateRedis, whenReady } from './connect.ts';

const NAME = 'mymaster';

describe('clients of a master behind a sentinel', () => {
  let master: TestRedis;
  let newMaster: TestRedis;
  let sentinel: TestSentinel;
  let proxy: TcpProxy;
  let clients: readonly Redis[];

  beforeAll(async () => {
    [master, newMaster] = await Promise.all([startRedis(), startRedis()]);
    sentinel = await startSentinel({ masterPort: master.port, name: NAME, quorum: 1, downAfterMs: 60_000 });
    proxy = await startTcpProxy(sentinel.port);
    const url = `redis-sentinel://127.0.0.1:${proxy.port}/${NAME}?sentinelPassword=${encodeURIComponent(SENTINEL_PASSWORD)}`;
    const client = connectRedis({ url, role: 'worker', name: 'test', onError: () => undefined });
    // BullMQ opens its connections in the same way.
    clients = [client, duplicateRedis(client).on('error', () => undefined)];
    await Promise.all(clients.map((one) => whenReady(one, 10_000)));
  }, 60_000);

  afterAll(async () => {
    await Promise.all(clients.map(closeRedis));
    await Promise.all([proxy.close(), sentinel.stop(), master.stop(), newMaster.stop()]);
  }, 30_000);

  const subscribers = async (): Promise<number> =>
    (await sentinel.command('CLIENT', 'LIST')).split('\n').filter((line) => line.includes(' sub=1 ')).length;

  /**
   * Sends the message of another sentinel with a later epoch, which names the new master. The sentinel then announces
   * it to all subscribers.
   */
  const announceNewMaster = (): Promise<string> =>
    sentinel.command(
      'PUBLISH',
      '__sentinel__:hello',
      `127.0.0.1,1,${'a'.repeat(40)},9,${NAME},127.0.0.1,${newMaster.port},9`,
    );

  test('reach the new master when its announcement arrives during their search', async () => {
    await eventually(async () => (await subscribers()) === clients.length, {
      what: 'the subscriptions of all clients',
    });
    // The proxy delays the clients' queries, but not the sentinel's messages.
    proxy.delayRequests(1000);
    await master.kill();
    await eventually(() => clients.every(({ status }) => status === 'connecting'), {
      what: 'the search of all clients',
    });
    await announceNewMaster();
    proxy.delayRequests(0);
    await Promise.all(clients.map((one) => whenReady(one, 15_000)));
    expect(await Promise.all(clients.map((one) => one.config('GET', 'port')))).toEqual(
      clients.map(() => ['port', String(newMaster.port)]),
    );
  }, 60_000);
});
