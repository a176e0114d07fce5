import { exampleCampaignEvent, exampleEvent, SHAPE_LIMITS } from '@mailhook/core';
import type { Mechanism, ProducerEvent, Route } from '@mailhook/core';
import type { EventSearch } from '@mailhook/delivery';
import { createEventFinder } from '@mailhook/insight';
import { eventually, goodReply, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startRig } from './rig.ts';
import type { Rig } from './rig.ts';

const HOUR_MS = 3_600_000;
const ANNA = 'anna@example.com';
const FORMS = (['transactional', 'campaign'] as const).flatMap((kind) =>
  (['single', 'array', 'batch'] as const).map((shape) => [kind, shape] as const),
);

/** Names that do not follow from each other, and a message with two events. */
const wantedEvent = (kind: Mechanism, account: string): ProducerEvent =>
  kind === 'campaign'
    ? {
        ...exampleCampaignEvent('bounce'),
        account,
        id: 'event "1"',
        hash: 'hash-of-the-event',
        messageId: 'm-1',
        email: ANNA,
      }
    : { ...exampleEvent('bounce'), account, id: 'event "1"', messageId: 'm-1', email: ANNA };
const otherEvent = (kind: Mechanism, account: string): ProducerEvent => ({
  ...wantedEvent(kind, account),
  id: 'm-1',
  messageId: 'm-2',
  email: 'bob@example.com',
  // The names of the wanted event, where they name nothing.
  metadata: { id: 'event "1"', messageId: 'm-1', email: ANNA },
  ...(kind === 'campaign' ? { hash: 'hash-of-another' } : {}),
});

describe.each(FORMS)('an event of version 2 at a %s destination of the shape %s', (kind, shape) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeEach(async () => {
    rig = await startRig({
      kind,
      scheduleMs: [HOUR_MS],
      breakerFailures: 1,
      parkMaxMs: HOUR_MS,
      bodiesKeptMs: HOUR_MS * 2,
    });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const setUp = async (account: string) => {
    const id = uniqueName('own');
    const destination = await rig.destination(account, receiver.url, { id, shape, ...SHAPE_LIMITS[shape] });
    const publish = (events: readonly ProducerEvent[]) => {
      const route: Route = { id, version: 2, isSingle: shape === 'single' };
      return rig.publisher.publish(events.map((event) => ({ event, destinations: [route] })));
    };
    const find = async (wanted: EventSearch) =>
      createEventFinder(rig.installation, rig.attemptLog).find(account, wanted, [destination]);
    return { id, destination, publish, find };
  };
  const searches: EventSearch[] = [
    { id: 'event "1"' },
    { messageId: 'm-1' },
    { email: ANNA.toUpperCase() },
    ...(kind === 'campaign' ? [{ hash: 'hash-of-the-event' }] : []),
  ];

  test('is found by each of its names while it waits, in a resend, and as a dead letter', async () => {
    const account = uniqueName('account');
    const { id, destination, publish, find } = await setUp(account);
    const isEverywhere = async (state: string) =>
      (await Promise.all(searches.map(find))).every(
        ({ items: [one, another] }) => one?.state === state && one.destination === id && another === undefined,
      );
    await publish([wantedEvent(kind, account), otherEvent(kind, account)]);
    receiver.setReply(() => ({ status: 500 }));
    await rig.startWorker();
    await eventually(() => isEverywhere('resend'), { what: 'the resend' });
    const [first] = await Promise.all(searches.map(find));
    expect(first?.items).toMatchObject([{ id: 'event "1"', type: 'bounce', attempts: 1 }]);
    const webhookId = first?.attempts[0]?.webhookId ?? '';
    const ofRequest = async () => (await find({ webhookId })).items.map(({ state }) => state);
    expect(new Set(await ofRequest())).toEqual(new Set(['resend']));
    expect((await find({ email: ANNA.slice(1) })).items).toEqual([]);
    await rig.registry.save({ ...destination, active: false, version: 2 });
    await eventually(() => isEverywhere('dead'), { what: 'the dead letter' });
    expect(new Set(await ofRequest())).toEqual(new Set(['dead']));
    const { items } = await rig.deadLetters.list({ account }, { limit: 10 });
    expect(items[0]).toMatchObject({ kind, shape, destination: id });
  });

  test('is found in a dead letter that was never sent, which has the shape of its destination', async () => {
    const account = uniqueName('account');
    const { id, destination, publish, find } = await setUp(account);
    await publish([wantedEvent(kind, account), otherEvent(kind, account)]);
    await rig.registry.save({ ...destination, active: false, version: 2 });
    await rig.startWorker();
    await eventually(async () => (await find({ id: 'event "1"' })).items[0]?.state === 'dead', {
      what: 'the dead letter',
    });
    const { items } = await rig.deadLetters.list({ account, destination: id }, { limit: 10 });
    expect(items).toMatchObject([{ kind, shape, destination: id, attempts: 0 }]);
    const read = await rig.deadLetters.read(account, items[0]?.id ?? '');
    expect(read?.payloads.map((payload) => payload['id'])).toEqual(['event "1"', 'm-1']);
    expect('attempt' in (read?.payloads[0] ?? {})).toBe(shape === 'batch');
  });

  test('is found in the attempt that delivered it, whose body is kept as it was sent', async () => {
    const account = uniqueName('account');
    const { id, publish, find } = await setUp(account);
    receiver.setReply((request) => (shape === 'batch' ? goodReply(request) : { status: 204 }));
    await publish([wantedEvent(kind, account), otherEvent(kind, account)]);
    await rig.startWorker();
    await eventually(
      async () => (await Promise.all(searches.map(find))).every(({ items: [one] }) => one?.state === 'delivered'),
      { what: 'the delivery' },
    );
    for (const wanted of searches) {
      expect((await find(wanted)).items).toMatchObject([{ destination: id, id: 'event "1"' }]);
    }
    const [attempt] = (await find({ id: 'event "1"' })).attempts;
    const sent = receiver.requests.find(({ headers }) => headers['webhook-id'] === attempt?.webhookId);
    expect(attempt).toMatchObject({ kind, shape, destination: id });
    expect(attempt?.subscription).toBe(kind === 'transactional' && shape === 'single' ? id : undefined);
    expect(attempt && (await rig.attemptLog.readBody(account, attempt))).toBe(sent?.text);
    const { items } = await rig.attemptLog.list(account, { limit: 10, destination: id });
    expect(items).toContainEqual(attempt);
    expect((await find({ webhookId: attempt?.webhookId ?? '' })).items).toMatchObject([{ state: 'delivered' }]);
  });
});
