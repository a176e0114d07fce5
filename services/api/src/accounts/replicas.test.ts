import { Redis } from 'ioredis';
import { DESTINATIONS_PER_TYPE_MAX } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { readMailbox } from '@mailhook/delivery/mailbox';
import { anOpen, eventually, unlessMissing, testMongoUrl, testRedisUrl, uniqueName } from '@mailhook/testing';
import { MODULE, publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

describe('two replicas', () => {
  let one: ApiRig;
  let two: ApiRig;
  beforeAll(async () => {
    const shared = { QUEUE_PREFIX: uniqueName('replicas'), REDIS_URL: await testRedisUrl() };
    [one, two] = [await startApi(shared), await startApi(shared)];
  });
  afterAll(async () => {
    await one.close();
    await two.close();
  });

  it("route by each other's changes within a second, even with the account in memory", async () => {
    const account = await one.newAccount();
    for (const replica of [one, two]) expect((await replica.post(anOpen({ account: account.id }))).status).toBe(202);
    const id = await one.subscribe(account, 'open');
    const reaches = async (): Promise<boolean> => {
      const event = anOpen({ account: account.id });
      expect((await two.post(event)).status).toBe(202);
      return (await publishedEvents(two)).some(
        (found) => found.event['messageId'] === event.messageId && found.destination === id,
      );
    };
    await eventually(reaches, { withinMs: 1000, what: 'the other replica to see the new subscription' });
    await one.as(account.token)('put', `/v3/webhook/subscriptions/${id}`, { module: MODULE, active: false });
    await eventually(async () => !(await reaches()), { withinMs: 1000, what: 'the other replica to see it go' });
  });

  it('refuse a token within a second after the other one revoked it', async () => {
    const account = await one.newAccount();
    const call = two.as(account.token);
    expect((await call('get', '/v3/webhook/subscriptions')).status).toBe(200);
    await one.admin('delete', `/admin/accounts/${account.id}/tokens/${account.tokenId}`);
    await eventually(async () => (await call('get', '/v3/webhook/subscriptions')).status === 401, {
      withinMs: 1000,
      what: 'the refusal',
    });
  });

  it('accept events of an account that the other one has just created', async () => {
    const unknown = await two.post(anOpen({ account: 'acc_unknown' }));
    expect(unknown.status).toBe(422);
    const account = await one.newAccount();
    expect((await two.post(anOpen({ account: account.id }))).status).toBe(202);
  });
});

for (const store of ['Redis', 'MongoDB'] as const) {
  const describeIn = unlessMissing(describe, store === 'MongoDB' ? 'mongod' : undefined);
  describeIn(`two replicas that change one account in ${store} at the same time`, () => {
    let replicas: [ApiRig, ApiRig];
    let redis: Redis;
    beforeAll(async () => {
      const shared = { QUEUE_PREFIX: uniqueName('race'), REDIS_URL: await testRedisUrl() };
      const database = new URL(await testMongoUrl());
      database.pathname = `/${uniqueName('race')}`;
      const env = store === 'Redis' ? shared : { ...shared, MONGO_URL: database.href };
      replicas = [await startApi(env), await startApi(env)];
      redis = new Redis(shared.REDIS_URL);
    });
    afterAll(async () => {
      redis.disconnect();
      for (const replica of replicas) await replica.close();
    });

    it('keep its limits and lose no change, and the workers get the last state', async () => {
      const [one] = replicas;
      const account = await one.newAccount();
      const calls = replicas.map((replica) => replica.as(account.token));
      const address = 'http://127.0.0.1:9/hook';
      const subscription = { address, type: 'open', module: MODULE };
      const campaign = (n: number) => ({ address: `${address}?n=${n}` });
      const writes = await Promise.all(
        calls.flatMap((call) => [
          ...Array.from({ length: 12 }, () => call('post', '/v3/webhook/subscriptions', subscription)),
          ...Array.from({ length: 2 }, () => call('post', '/v3/webhook/secrets')),
          ...[1, 2, 3].map((n) => call('put', '/v3/webhook/campaign', campaign(n))),
        ]),
      );
      const withStatus = (wanted: number) => writes.filter(({ status }) => status === wanted).length;
      expect([200, 201, 409].map(withStatus)).toEqual([6, DESTINATIONS_PER_TYPE_MAX + 2, 6]);
      const lists = await Promise.all(calls.map((call) => call('get', '/v3/webhook/subscriptions')));
      expect(lists[1]?.body).toEqual(lists[0]?.body);
      const subscriptions = lists[0]?.body as { id: string }[];
      expect(subscriptions).toHaveLength(DESTINATIONS_PER_TYPE_MAX);
      const saved = await Promise.all(calls.map((call) => call('get', '/v3/webhook/campaign')));
      expect(saved[1]?.body).toEqual(saved[0]?.body);

      for (const id of [...subscriptions.map((listed) => listed.id), `campaign-${account.id}`]) {
        const mailboxes = await Promise.all(
          new Installation(redis, one.prefix, 1).allKeys().map((keys) => readMailbox(redis, keys, id)),
        );
        const record = mailboxes.find((mailbox) => mailbox.record !== undefined)?.record;
        const { secrets } = JSON.parse(record?.credentials ?? '{}') as { secrets?: readonly string[] };
        expect([id, secrets?.length]).toEqual([id, 2]);
        if (id.startsWith('campaign-')) expect(record?.address).toBe((saved[0]?.body as { address: string }).address);
      }
    });
  });
}
