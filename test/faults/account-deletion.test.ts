import {
  aCampaignEvent,
  aClick,
  anOpen,
  eventually,
  unlessMissing,
  startMongod,
  startReceiver,
} from '@mailhook/testing';
import type { FakeReceiver, TestMongod } from '@mailhook/testing';
import { callApi } from '../end-to-end/rig/customer.ts';
import { startStack } from './rig/stack.ts';
import type { Stack } from './rig/stack.ts';

/** BullMQ refuses a colon in a job's id. */
const ACCOUNT = 'acme:eu.1';
const EVENTS = 3000;

for (const store of ['Redis', 'MongoDB'] as const) {
  const describeIn = unlessMissing(describe, store === 'MongoDB' ? 'mongod' : undefined);
  describeIn(`deleting an account, with accounts in ${store}`, () => {
    let mongod: TestMongod | undefined;
    let stack: Stack;
    let receiver: FakeReceiver;
    beforeAll(async () => {
      mongod = store === 'MongoDB' ? await startMongod() : undefined;
      receiver = await startReceiver();
      stack = await startStack({
        workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
        env: {
          ...(mongod === undefined ? {} : { MONGO_URL: `${mongod.url}/mailhook` }),
          RETRY_SCHEDULE: '1h',
          BREAKER_FAILURES: '1',
        },
      });
    }, 120_000);
    afterAll(async () => {
      await stack.close();
      await receiver.close();
      await mongod?.stop();
    }, 60_000);

    const admin = (method: string, path: string, body?: unknown) =>
      callApi(`${stack.opsUrl}/admin${path}`, stack.adminToken, method, body);
    const send = (events: readonly object[]) =>
      callApi(`${stack.baseUrl}/v3/events`, stack.producerToken, 'POST', events);
    const customer = (token: string, method: string, path: string, body?: unknown) =>
      callApi(`${stack.baseUrl}/v3/webhook${path}`, token, method, body);
    const newToken = async (account: string) => {
      const { json } = await admin('POST', `/accounts/${account}/tokens`, { label: 'backend' });
      return (json as { token: string }).token;
    };
    const details = async () =>
      (await admin('GET', `/accounts/${ACCOUNT}`)).json as { events: number; deadLetters: number };

    test('an account under an id of the platform is parked, switched off and gets dead letters like any', async () => {
      expect((await admin('PUT', `/accounts/${ACCOUNT}`, { name: 'Acme' })).status).toBe(201);
      expect((await admin('PUT', `/accounts/${ACCOUNT}`, { name: 'Acme Europe' })).status).toBe(200);
      const token = await newToken(ACCOUNT);
      await customer(token, 'PUT', '/campaign', { address: receiver.url, active: true });
      receiver.setReply(() => ({ status: 410 }));
      await send([aCampaignEvent({ account: ACCOUNT })]);
      const campaign = async () => (await customer(token, 'GET', '/campaign')).json as { inactiveReason?: string };
      await eventually(async () => (await campaign()).inactiveReason?.includes('410') === true, { what: 'the 410' });

      receiver.setReply(() => ({ status: 500 }));
      await customer(token, 'PUT', '/campaign', { address: receiver.url, active: true });
      await send([aCampaignEvent({ account: ACCOUNT })]);
      const parked = async () => (await admin('GET', '/destinations?state=parked')).json as { items: { id: string }[] };
      await eventually(async () => (await parked()).items.some(({ id }) => id === `campaign-${ACCOUNT}`), {
        what: 'the parked destination',
      });
      for (const type of ['open', 'click'] as const) {
        const input = { address: `${receiver.url}/${type}`, type, module: 'transactional_email' };
        await customer(token, 'POST', '/subscriptions', input);
      }
      await customer(token, 'PUT', '/campaign', { address: receiver.url, active: false });
      await eventually(async () => (await details()).deadLetters === 2, { what: 'the dead letters' });
      await customer(token, 'PUT', '/campaign', { address: receiver.url, active: true });
    }, 60_000);

    test('survives a kill right after the answer, and leaves only the records that discard late events', async () => {
      expect((await admin('PUT', '/accounts/other', { name: 'Other' })).status).toBe(201);
      const [token, otherToken] = [await newToken(ACCOUNT), await newToken('other')];
      const events = Array.from({ length: EVENTS }, (_, i) => [
        aCampaignEvent({ account: ACCOUNT, email: `r${i}@example.com` }),
        i % 2 === 0 ? anOpen({ account: ACCOUNT }) : aClick({ account: ACCOUNT }),
      ]).flat();
      expect((await send(events)).status).toBe(202);
      await eventually(async () => (await details()).events >= EVENTS, { what: 'the waiting events' });

      const answer = await admin('DELETE', `/accounts/${ACCOUNT}`);
      await stack.api.kill();
      expect([answer.status, answer.json]).toMatchObject([202, { account: ACCOUNT, finishedAt: null }]);
      await stack.restartApi();

      expect((await admin('GET', `/accounts/${ACCOUNT}`)).status).toBe(404);
      await eventually(async () => (await customer(token, 'GET', '/subscriptions')).status === 401, { what: 'a 401' });
      expect((await send([anOpen({ account: ACCOUNT })])).status).toBe(422);
      expect((await customer(otherToken, 'GET', '/subscriptions')).status).toBe(200);

      const deletion = async () =>
        (await admin('GET', `/accounts/${ACCOUNT}/deletion`)).json as {
          finishedAt: string | null;
          remaining: { events: number; deadLetters: number };
        };
      await eventually(
        async () => {
          const { events, deadLetters } = (await deletion()).remaining;
          return events === 0 && deadLetters === 0;
        },
        { withinMs: 60_000, what: 'the removal of its events and dead letters' },
      );
      await eventually(async () => (await deletion()).finishedAt !== null, {
        withinMs: 60_000,
        what: 'the end of the deletion',
      });
      expect(await leftBehind(stack, ACCOUNT)).toEqual([]);
      const again = await admin('PUT', `/accounts/${ACCOUNT}`, { name: 'Acme' });
      expect([again.status, (again.json as { detail: string }).detail]).toEqual([
        409,
        expect.stringMatching(/^The account with this id was deleted\. Its id can be used again from 20/),
      ]);
      expect(stack.endedThemselves).toEqual([]);
    }, 180_000);
  });
}

/**
 * Keys, and fields of hashes, that name the account. A record of each deleted destination and the deletion itself stay
 * for a week, and for 8 hours what ends its portal sessions. The ids of its audit entries stay for 90 days, like the
 * entries.
 */
async function leftBehind({ client }: Stack, account: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of await client.keys('*')) {
    if (key.includes(account) && !/:portal-epochs:|:audit-o[fn]:/.test(key)) found.push(key);
    if ((await client.type(key)) !== 'hash' || /:store\}:deletions$|\}:[ct]:(records|targets)$/.test(key)) continue;
    found.push(
      ...(await client.hkeys(key)).filter((field) => field.includes(account)).map((field) => `${key} ${field}`),
    );
  }
  return found;
}
