import { connectRedis, closeRedis, whenReady } from '@mailhook/platform/redis';
import { anOpen, startRedis } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import { fine, SUBSCRIPTIONS } from './customer-api-rig.suite.ts';

test('while Redis is full, a customer can switch off and delete destinations, but not create them', async () => {
  const redis = await startRedis();
  const api = await startApi({ REDIS_URL: redis.url });
  const client = connectRedis({ url: redis.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  try {
    const account = await api.newAccount();
    const call = api.as(account.token);
    const other = await api.newAccount();
    await api.subscribe(other, 'open');
    const [first, second] = [await api.subscribe(account), await api.subscribe(account)];
    expect((await call('put', '/v3/webhook/campaign', { address: fine.address })).status).toBe(200);
    await whenReady(client, 5000);
    await client.config('SET', 'maxmemory', '1');
    expect((await call('put', `${SUBSCRIPTIONS}/${first}`, { module: fine.module, active: 0 })).body).toEqual({
      success: true,
    });
    expect((await call('delete', `${SUBSCRIPTIONS}/${second}`)).body).toEqual({ success: true });
    expect((await call('put', '/v3/webhook/campaign', { address: null })).body).toEqual({
      address: null,
      active: false,
    });
    const list = await call('get', SUBSCRIPTIONS);
    expect(list.body).toMatchObject([{ id: first, active: false }]);
    const refused = await call('post', SUBSCRIPTIONS, fine);
    const events = await api.post(anOpen({ account: other.id }));
    for (const { status, headers, body } of [refused, events]) {
      expect([status, headers['retry-after']]).toEqual([503, '30']);
      expect(JSON.stringify(body)).toContain(
        'Redis nears its memory limit, so Mailhook cannot accept new events or changes.',
      );
    }
  } finally {
    await closeRedis(client);
    await api.close();
    await redis.stop();
  }
});
