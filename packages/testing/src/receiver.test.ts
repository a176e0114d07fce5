import { aCampaignEvent, aClick, anOpen } from './builders.ts';
import { eventually } from './eventually.ts';
import type { FakeReceiver } from './receiver.ts';
import { acknowledge, startReceiver } from './receiver.ts';

describe('startReceiver', () => {
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const post = async (body: unknown) => {
    const reply = await fetch(`${receiver.url}/hook`, { method: 'POST', body: JSON.stringify(body) });
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), text: await reply.text() };
  };

  test('records requests, and replies like a correct receiver', async () => {
    const events = [aCampaignEvent(), aCampaignEvent({ event: 'click' })];
    const reply = await post(events);
    expect(JSON.parse(reply.text)).toEqual(events.map(({ hash }) => ({ hash, status: true })));
    expect((await post({ test: 'x' })).text).toBe('{"status":"ok"}');
    const [first] = await receiver.waitForRequests(2);
    expect(first).toMatchObject({ method: 'POST', path: '/hook', json: events, text: JSON.stringify(events) });
  });

  test('sends the replies that `setReply` chooses', async () => {
    const events = [aCampaignEvent(), aCampaignEvent()];
    receiver.setReply(({ json }) => acknowledge(json, (_event, index) => index === 1));
    expect(JSON.parse((await post(events)).text)).toMatchObject([{ status: false }, { status: true }]);
    receiver.setReply(() => ({ status: 418, statusText: 'Teapot', headers: { 'retry-after': '9' }, body: 'no' }));
    expect(await post({})).toMatchObject({ status: 418, retryAfter: '9', text: 'no' });
    receiver.setReply(() => ({ reset: 'reply' }));
    await expect(post({})).rejects.toThrow();
  });

  test('counts connections, and closes them', async () => {
    expect(receiver.connections).toMatchObject({ open: 0, total: 0 });
    await post({});
    expect(receiver.connections.total).toBe(1);
    await receiver.close();
    await receiver.waitForOpenConnections(0);
    await expect(post({})).rejects.toThrow();
    receiver = await startReceiver();
  });

  test('names the missing requests when a wait fails', async () => {
    await expect(receiver.waitForRequests(1, 30)).rejects.toThrow(/not within \d+ ms: 1 requests at the receiver/);
  });
});

test('eventually ends although its predicate never does, and names what it waited for', async () => {
  const waits = eventually(() => new Promise<boolean>(() => undefined), { withinMs: 20, what: 'a reply' });
  await expect(waits).rejects.toThrow(/a reply \(last: Error: the last try does not end\)/);
});

test('eventually treats errors as "not yet"', async () => {
  let calls = 0;
  const value = await eventually(
    () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    },
    { what: 'three calls' },
  );
  expect(value).toBe(3);
});

test('builders make distinct events and accept given fields', () => {
  expect(anOpen().messageId).not.toBe(anOpen().messageId);
  expect(aCampaignEvent().hash).not.toBe(aCampaignEvent().hash);
  expect(aClick({ account: 'a', url: 'https://x.org' })).toMatchObject({
    account: 'a',
    url: 'https://x.org',
    name: 'click',
  });
  expect(aCampaignEvent({ event: 'click', url: 'https://x.org' })).toMatchObject({
    event: 'click',
    url: 'https://x.org',
  });
  expect(aCampaignEvent({ event: 'unsubscribe' })).not.toHaveProperty('url');
});
