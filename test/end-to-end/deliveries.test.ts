import { CAMPAIGN_FIELDS, campaignBatch, namesOf, notification, subscriptionType } from '@mailhook/core';
import type { CampaignEvent } from '@mailhook/core';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import {
  anEvent,
  aCampaignEvent,
  aClick,
  anOpen,
  eventually,
  startReceiver,
  testRedisUrl,
  uniqueName,
} from '@mailhook/testing';
import { composeServices } from './rig/composed-services.ts';
import type { Customer } from './rig/customer.ts';
import { newCustomer } from './rig/customer.ts';

const batches = (receiver: FakeReceiver): CampaignEvent[][] =>
  receiver.requests.map(({ json }) => campaignBatch.parse(json));
const eventsOf = (receiver: FakeReceiver): CampaignEvent[] => batches(receiver).flat();
const without = (event: object, ...fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name)));
const header = (request: ReceivedRequest | undefined, name: string): string => String(request?.headers[name]);

describe('the services together', () => {
  const tokens = { adminToken: 'an-admin-token-of-this-test', producerToken: 'the-producer-token-of-a-test' };
  let services: Awaited<ReturnType<typeof composeServices>>;
  const newAccount = (id?: string): Promise<Customer> =>
    newCustomer({ ...tokens, baseUrl: services.baseUrl, opsUrl: services.opsUrls[0] ?? '' }, id);
  let receiver: FakeReceiver;
  let customer: Customer;
  beforeAll(async () => {
    const env = { QUEUE_PREFIX: uniqueName('deliveries'), ALLOW_PRIVATE_DESTINATIONS: 'true' };
    services = await composeServices({ redisUrl: await testRedisUrl(), ...tokens, env });
  }, 60_000);
  afterAll(() => services.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    customer = await newAccount();
  });
  afterEach(() => receiver.close());

  test('delivers every kind of event: notifications one by one, campaign events in batches', async () => {
    for (const type of subscriptionType.options) await customer.subscribe(type, `${receiver.url}/${type}`);
    const campaign = await startReceiver();
    await customer.setCampaign(`${campaign.url}/batch`);
    const transactional = [
      ...subscriptionType.options.map((type) => anEvent(type)),
      aClick({ userAgent: ' "attempt":7 \u2028', url: 'https://example.com/?a\r\nb' }),
    ];
    const events = [
      ...namesOf(CAMPAIGN_FIELDS).map((event) => aCampaignEvent({ event })),
      // Mailhook derives the hash of this event.
      aCampaignEvent({ event: 'click', email: 'zoë@example.com', hash: undefined }),
    ];
    await customer.send([...transactional, ...events]);

    await receiver.waitForRequests(transactional.length);
    for (const event of transactional) {
      const [request] = receiver.requests.filter(({ text }) => text.includes(event.messageId));
      expect(request?.path).toBe(`/${event.name}`);
      expect(request?.json).toEqual({ ...without(event, 'account'), version: 1 });
      expect(notification.parse(request?.json)).toEqual(request?.json);
      expect(request?.method).toBe('POST');
      expect(header(request, 'content-type').toLowerCase()).toBe('application/json;charset=utf-8');
      expect(header(request, 'user-agent')).toMatch(/^Mailhook\/\S+$/);
      expect(header(request, 'webhook-attempt')).toBe('1');
    }
    await eventually(() => eventsOf(campaign).length === events.length, { what: 'the campaign events' });
    for (const event of events) {
      const found = eventsOf(campaign).find((one) => one.event === event.event && one.email === event.email);
      const hash = event.hash ?? (expect.stringMatching(/^.{10,50}$/) as string);
      expect(found).toEqual({ ...without(event, 'account', 'module'), hash, attempt: 1 });
    }
    await campaign.close();
  });

  test('of two accounts whose ids and event ids read the same when joined, both events are delivered', async () => {
    const name = uniqueName('acme');
    const accounts = [
      { account: name, id: 'eu:order-1' },
      { account: `${name}:eu`, id: 'order-1' },
    ];
    for (const { account, id } of accounts) {
      const one = await newAccount(account);
      await one.subscribe('open', receiver.url);
      await one.send([{ ...anOpen({ messageId: account }), id }]);
    }
    await receiver.waitForRequests(2);
    const seen = receiver.requests.map(({ json }) => notification.parse(json).messageId);
    expect(seen.sort()).toEqual(accounts.map(({ account }) => account));
  });
});
