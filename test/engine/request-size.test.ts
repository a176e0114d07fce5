import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { emails } from './campaign-batches.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

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
  let receiver: FakeReceiver;
  const rigs: Rig[] = [];
  const rigWith = async (more: Partial<Parameters<typeof startRig>[0]> = {}) => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [20], ...more });
    rigs.push(rig);
    await rig.startWorker();
    return rig;
  };
  const taken = () => receiver.requests.filter((request) => !isTooLarge(request)).flatMap(emails);
  beforeEach(async () => {
    receiver = await startReceiver({
      reply: (request) => (isTooLarge(request) ? { status: 413 } : acknowledge(request.json)),
    });
  });
  afterEach(() => receiver.close());
  afterAll(() => Promise.all(rigs.map((rig) => rig.close())));

  test.each([
    ['short events', 40],
    ['entries that are larger than a request may be', 600],
  ])('gets all events at once, and no 413 is needed for the next ones: %s', async (_what, urlChars) => {
    // A single 413 that counted as a failure would park the destination for hours, and a resend by schedule would wait for hours.
    const rig = await rigWith({ scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(clicks(1000, urlChars), destination);
    await eventually(() => taken().length >= 1000, { what: '1,000 events', withinMs: 10_000 });
    expect(new Set(taken()).size).toBe(1000);
    const before = receiver.requests.length;
    await rig.publish(clicks(1000, urlChars), destination);
    await eventually(() => taken().length >= 2000, { what: '2,000 events', withinMs: 10_000 });
    expect(taken()).toHaveLength(2000);
    expect(receiver.requests.slice(before).filter(isTooLarge)).toEqual([]);
    expect((await rig.deadLetters.list({ account }, { limit: 10 })).items).toEqual([]);
    // Whatever was cut is a batch of its own.
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is sent large requests again when it has another address', async () => {
    const rig = await rigWith();
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(clicks(1000, 40), destination);
    await eventually(() => taken().length >= 1000, { what: '1,000 events' });
    const moved = await startReceiver();
    await rig.registry.save({ ...destination, address: moved.url, version: 2 });
    await rig.publish(clicks(1000, 40), { ...destination, address: moved.url, version: 2 });
    const [first] = await moved.waitForRequests(1);
    expect(emails(first!).length).toBeGreaterThan(LIMIT_BYTES / 150);
    await moved.close();
  });

  test('a receiver that answers 413 to everything costs a bounded number of requests, and leaves one dead letter', async () => {
    const rig = await rigWith();
    receiver.setReply(() => ({ status: 413 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(clicks(1000, 40), destination);
    const letters = async () => (await rig.deadLetters.list({ account }, { limit: 10 })).items;
    await eventually(async () => (await letters()).length > 0, { what: 'a dead letter', withinMs: 20_000 });
    expect((await letters()).map(({ events }) => events)).toEqual([1000]);
    // One whole and 11 smaller ones at once, the whole again by schedule, and the search for a poison event.
    expect(receiver.requests.length).toBeLessThanOrEqual(12 + 1 + 22);
    // The next batch is whole again: what refuses everything has no size.
    const before = receiver.requests.length;
    await rig.publish(clicks(500, 40), destination);
    const next = (await receiver.waitForRequests(before + 1))[before];
    expect(emails(next!)).toHaveLength(500);
  });
});
