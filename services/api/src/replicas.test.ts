import { anOpen, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { MODULE, publishedEvents, startApi } from './api-rig.suite.ts';
import type { ApiRig } from './api-rig.suite.ts';

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
