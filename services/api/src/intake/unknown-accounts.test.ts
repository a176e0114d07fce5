import { Redis } from 'ioredis';
import { anOpen, startRedis } from '@mailhook/testing';
import { PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

/** Measures how many commands of Redis, which is also the store here, a request with unknown accounts takes. */
describe('a request that names 10,000 unknown accounts', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let connection: Redis;
  let api: ApiRig;
  beforeAll(async () => {
    redis = await startRedis();
    connection = new Redis(redis.url);
    api = await startApi({ REDIS_URL: redis.url });
  });
  afterAll(async () => {
    connection.disconnect();
    await api.close();
    await redis.stop();
  });

  const events = (series: string, count = 10_000) =>
    Array.from({ length: count }, (_, i) => anOpen({ account: `acc_${series}_${i}` }));

  async function readsOf(work: () => Promise<unknown>): Promise<number> {
    const reads = async () => {
      const stats = await connection.info('commandstats');
      const calls = stats.matchAll(/cmdstat_(?:get|mget|hget|hvals|hgetall|hmget):calls=(\d+)/g);
      return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await reads();
    await work();
    return (await reads()) - before;
  }

  it('is refused after a few reads of the store, with its first 100 errors', async () => {
    const reads = await readsOf(async () => {
      const reply = await api.post(events('refused'));
      expect(reply.status).toBe(422);
      const { errors } = reply.body as { errors: { path: string }[] };
      expect(errors.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, i) => `${i}.account`));
    });
    expect(reads).toBeLessThan(300);
  });

  it('takes one read for many of them if it skips them, and accepts the events of an account that exists', async () => {
    const account = await api.newAccount();
    await api.subscribe(account);
    const reads = await readsOf(async () => {
      const sent = [...events('skipped', 9_999), anOpen({ account: account.id })];
      const reply = await api.as(PRODUCER_TOKEN)('post', '/v3/events?onError=skip', sent);
      expect(reply.status).toBe(202);
      expect(reply.body).toMatchObject({ accepted: 1 });
      expect((reply.body as { rejected: unknown[] }).rejected).toHaveLength(9_999);
    });
    expect(reads).toBeLessThan(1000);
  });

  it('accepts events for an account that was created after a request named it', async () => {
    const id = 'acc_new';
    expect((await api.post(anOpen({ account: id }))).status).toBe(422);
    await api.admin('put', `/admin/accounts/${id}`, { name: 'New' });
    expect((await api.post(anOpen({ account: id }))).status).toBe(202);
  });
});
