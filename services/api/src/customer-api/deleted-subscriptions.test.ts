import { engineKeys } from '@mailhook/delivery';
import { Redis } from 'ioredis';
import { expectProblem, fine, publicApiRig, SUBSCRIPTIONS } from './customer-api-rig.suite.ts';

const CREATED = 50;

describe('subscriptions that are created and deleted', () => {
  const rig = publicApiRig();
  let redis: Redis;
  beforeAll(() => (redis = new Redis(rig.api.redisUrl)));
  afterAll(() => redis.quit());

  const create = (address: string) => rig.call('post', SUBSCRIPTIONS).send({ ...fine, address });
  /** The bytes of each key of this installation. */
  const memory = async (): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    for await (const keys of redis.scanStream({ match: `*${rig.api.prefix}*` })) {
      for (const key of keys as string[]) found.set(key, Number(await redis.memory('USAGE', key)));
    }
    return found;
  };
  const createAndDelete = async (): Promise<void> => {
    const created = await create(`https://example.com/hook?token=SECRET&rest=${'x'.repeat(1900)}`);
    const { id } = created.body as { id: string };
    await rig.call('delete', `${SUBSCRIPTIONS}/${id}`).expect(200);
  };

  test('leave a record that discards late events, of less than 300 bytes and without the address', async () => {
    await createAndDelete();
    const before = await memory();
    for (let i = 0; i < CREATED; i += 1) await createAndDelete();
    const after = await memory();
    const grown = [...after].flatMap(([key, bytes]) => {
      const more = bytes - (before.get(key) ?? 0);
      // The audit log has one length for the whole installation.
      return more > 0 && !key.includes('audit') ? [[key, more] as const] : [];
    });
    expect(grown.reduce((sum, [, bytes]) => sum + bytes, 0) / CREATED).toBeLessThan(300);
    const records = await redis.hvals(engineKeys(rig.api.prefix, 0, 'transactional').targets);
    expect(records.length).toBeGreaterThan(CREATED);
    expect(records.join()).not.toContain('SECRET');
  });

  test('are limited in a week, so that their records stay few', async () => {
    await createAndDelete();
    const key = engineKeys(rig.api.prefix, 0, 'transactional').deletedOf(rig.mine.id);
    expect(await redis.get(key)).toBe('1');
    expect(await redis.ttl(key)).toBeGreaterThan(6 * 86_400);
    await redis.set(key, 10_000, 'KEEPTTL');
    const refused = await create('https://example.com/');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(6 * 86_400);
    await redis.set(key, 9999, 'KEEPTTL');
    expect((await create('https://example.com/')).status).toBe(201);
  });
});
