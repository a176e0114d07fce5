import { campaignBatch } from '@mailhook/core';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const emailsOf = (request: ReceivedRequest): string[] => campaignBatch.parse(request.json).map(({ email }) => email);
const withoutAttempts = (text: string): string => text.replace(/"attempt":\d+/g, '"attempt":N');
const events = (count: number, more: Parameters<typeof aCampaignEvent>[0] = {}) =>
  Array.from({ length: count }, (_, i) =>
    aCampaignEvent({ email: `r${i}@example.com`, timestamp: 1_700_000_000 + i, ...more }),
  );

describe('campaign batches', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    rig = await startRig({ kind: 'campaign' });
    await rig.startWorker();
    await rig.startWorker();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  test('every event arrives once, in arrays of 1 to 1000, in order, with attempt 1', async () => {
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(events(2500), destination);
    const seen = await eventually(
      () => {
        const emails = receiver.requests.flatMap(emailsOf);
        return emails.length >= 2500 && emails;
      },
      { what: '2,500 events at the receiver' },
    );
    expect(new Set(seen).size).toBe(2500);
    expect(seen).toHaveLength(2500);
    for (const request of receiver.requests) {
      const numbers = emailsOf(request).map((email) => Number(/\d+/.exec(email)?.[0]));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(request.headers['webhook-attempt']).toBe('1');
      expect(campaignBatch.parse(request.json).every(({ attempt }) => attempt === 1)).toBe(true);
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(receiver.requests.length);
  });

  test('a refused batch is sent again with the same content and webhook-id, only `attempt` differs', async () => {
    receiver.setReply((request) =>
      Number(request.headers['webhook-attempt']) < 3 ? { status: 500 } : acknowledge(request.json),
    );
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(events(40), destination);
    const [first, second, third] = await receiver.waitForRequests(3);
    expect([first, second, third].map((request) => request?.headers['webhook-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set([first, second, third].map((request) => request?.headers['webhook-id'])).size).toBe(1);
    expect(withoutAttempts(second!.text)).toBe(withoutAttempts(first!.text));
    expect(withoutAttempts(third!.text)).toBe(withoutAttempts(first!.text));
    expect(campaignBatch.parse(third!.json).every(({ attempt }) => attempt === 3)).toBe(true);
  });

  test('exactly the events that were not acknowledged are sent again, as a new batch', async () => {
    receiver.setReply((request) =>
      request.headers['webhook-attempt'] === '1'
        ? acknowledge(request.json, (_event, i) => i % 2 === 0)
        : acknowledge(request.json),
    );
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(events(9), destination);
    const [first, second] = await receiver.waitForRequests(2);
    expect(emailsOf(second!)).toEqual(emailsOf(first!).filter((_, i) => i % 2 === 1));
    expect(second!.headers['webhook-attempt']).toBe('2');
    expect(second!.headers['webhook-id']).not.toBe(first!.headers['webhook-id']);
    await rig.untilEmpty(destination.id);
  });

  test('after the last attempt a dead letter is listed, and a re-drive delivers it', async () => {
    receiver.setReply(() => ({ status: 503 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(events(5), destination);
    const { items } = await eventually(
      async () => {
        const page = await rig.deadLetters.list({ account }, { limit: 10 });
        return page.items.length > 0 && page;
      },
      { what: 'a dead letter' },
    );
    expect(items).toMatchObject([{ kind: 'campaign', events: 5, attempts: 3, address: receiver.url, account }]);
    expect(String(items[0]?.error)).toContain('503');
    receiver.setReply((request) => acknowledge(request.json));
    expect(await rig.deadLetters.redrive({ account })).toMatchObject({ redriven: 1 });
    const requests = await receiver.waitForRequests(4);
    expect(requests[3]?.headers['webhook-attempt']).toBe('4');
    const textOf = (at: number) => requests[at]?.text.replaceAll(/"attempt":\d+/g, '');
    expect(textOf(3)).toBe(textOf(0));
    expect((await rig.deadLetters.list({ account }, { limit: 10 })).items).toEqual([]);
  });
});
