import type { ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { emails } from './campaign-batches.ts';
import { receiverRigs } from './receiver-rigs.suite.ts';

const LIMIT_BYTES = 50_000;
const isTooLarge = (request: ReceivedRequest): boolean => Buffer.byteLength(request.text) > LIMIT_BYTES;
const clicks = (count: number, urlChars: number) =>
  Array.from({ length: count }, (_, i) =>
    aCampaignEvent({
      event: 'click',
      email: `r${i}@example.com`,
      url: 'https://example.com/'.padEnd(urlChars, 'x'),
    }),
  );

describe('a receiver that takes only small requests (413)', () => {
  const at = receiverRigs(
    { scheduleMs: [20] },
    { reply: (request) => (isTooLarge(request) ? { status: 413 } : acknowledge(request.json)) },
  );
  const { rigWith } = at;
  const taken = () => at.receiver.requests.filter((request) => !isTooLarge(request)).flatMap(emails);

  test.each([
    ['short events', 40],
    ['entries larger than the limit', 600],
  ])('gets all events without a pause, and answers no further 413: %s', async (_what, urlChars) => {
    // If a 413 counted as a failure, the destination would be parked and the resend scheduled, both for an hour.
    const rig = await rigWith({ scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    const account = uniqueName('account');
    const destination = await rig.destination(account, at.receiver.url);
    await rig.publish(clicks(1000, urlChars), destination);
    await eventually(() => taken().length >= 1000, { what: '1,000 events', withinMs: 10_000 });
    expect(new Set(taken()).size).toBe(1000);
    const before = at.receiver.requests.length;
    await rig.publish(clicks(1000, urlChars), destination);
    await eventually(() => taken().length >= 2000, { what: '2,000 events', withinMs: 10_000 });
    expect(taken()).toHaveLength(2000);
    expect(at.receiver.requests.slice(before).filter(isTooLarge)).toEqual([]);
    expect((await rig.deadLetters.list({ account }, { limit: 10 })).items).toEqual([]);
    // Each part has a different id.
    const ids = at.receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('gets large requests again after a change of its address', async () => {
    const rig = await rigWith();
    const account = uniqueName('account');
    const destination = await rig.destination(account, at.receiver.url);
    await rig.publish(clicks(1000, 40), destination);
    await eventually(() => taken().length >= 1000, { what: '1,000 events' });
    const moved = await startReceiver();
    await rig.registry.save({ ...destination, address: moved.url, version: 2 });
    await rig.publish(clicks(1000, 40), { ...destination, address: moved.url, version: 2 });
    const [first] = await moved.waitForRequests(1);
    expect(emails(first!).length).toBeGreaterThan(LIMIT_BYTES / 150);
    await moved.close();
  });

  test('a receiver that answers only 413 gets a bounded number of requests and leaves one dead letter', async () => {
    const rig = await rigWith();
    at.receiver.setReply(() => ({ status: 413 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, at.receiver.url);
    await rig.publish(clicks(1000, 40), destination);
    const deadLetters = async () => (await rig.deadLetters.list({ account }, { limit: 10 })).items;
    await eventually(async () => (await deadLetters()).length > 0, { what: 'a dead letter', withinMs: 20_000 });
    expect((await deadLetters()).map(({ events }) => events)).toEqual([1000]);
    // The whole batch, 11 smaller requests, the scheduled resend, and the search for a poison event.
    expect(at.receiver.requests.length).toBeLessThanOrEqual(12 + 1 + 22);
    // A receiver that refuses every size has no size limit, so the next batch is whole.
    const before = at.receiver.requests.length;
    await rig.publish(clicks(500, 40), destination);
    const next = (await at.receiver.waitForRequests(before + 1))[before];
    expect(emails(next!)).toHaveLength(500);
  });
});
