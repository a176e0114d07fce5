import type { Mechanism, Shape } from '@mailhook/core';
import { aCampaignEvent, anOpen, eventually, goodReply, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsIn, eventsOf, idsIn, inShape, publishVersion2 } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];

/** Events of version 2 in each shape, through the whole engine. */
describe.each(KINDS)('%s: a destination of version 2', (kind) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeEach(async () => {
    rig = await startRig({ kind, scheduleMs: [10] });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const setUp = (account: string, shape: Shape, more = {}) =>
    rig.destination(account, receiver.url, inShape(shape, more));
  const events = (from: number, to: number) => eventsOf(kind, from, to);
  const idsOf = (from: number, to: number) => events(from, to).map(({ id }) => id);
  const distinct = () => [...new Set(idsIn(receiver.requests))].sort();
  /** Resolves when this number of events has arrived and the mailbox is empty. */
  const delivered = async (by: Rig, id: string, count: number): Promise<void> => {
    await eventually(() => receiver.requests.flatMap(eventsIn).length >= count, { what: `${count} events` });
    await by.untilEmpty(id);
  };

  it('gets one object per request, as single', async () => {
    const destination = await setUp(uniqueName('account'), 'single');
    await rig.startWorker();
    await publishVersion2(rig, destination, events(0, 5));
    await receiver.waitForRequests(5);
    expect(distinct()).toEqual(idsOf(0, 5));
    expect(receiver.requests.map(({ json }) => Object.keys(json as object).includes('hash'))).not.toContain(true);
    expect(receiver.requests[0]?.json).toMatchObject({ version: 2, event: 'delivered' });
  });

  it('gets a list per request, as array, and the same bytes again after a refusal', async () => {
    const destination = await setUp(uniqueName('account'), 'array');
    receiver.setReply(() => ({ status: receiver.requests.length === 1 ? 500 : 204 }));
    await publishVersion2(rig, destination, events(0, 30));
    await rig.startWorker();
    await eventually(() => receiver.requests.length >= 2, { what: 'the resend' });
    await rig.untilEmpty(destination.id);
    const [first, ...others] = receiver.requests;
    const again = others.find(({ headers }) => headers['webhook-id'] === first?.headers['webhook-id']);
    expect(again?.text).toBe(first?.text);
    expect(distinct()).toHaveLength(30);
    expect(receiver.requests.flatMap(eventsIn).some((one) => 'attempt' in one)).toBe(false);
  });

  it('gets a list with hashes, as batch, and acknowledges each event', async () => {
    const destination = await setUp(uniqueName('account'), 'batch');
    receiver.setReply((request) =>
      receiver.requests.length === 1
        ? { json: [{ hash: eventsIn(request)[0]?.hash, status: true }] }
        : goodReply(request),
    );
    await publishVersion2(rig, destination, events(0, 3));
    await rig.startWorker();
    await eventually(() => receiver.requests.length >= 2, { what: 'the resend of two events' });
    await rig.untilEmpty(destination.id);
    expect(receiver.requests.map((request) => eventsIn(request).map(({ attempt }) => attempt))).toEqual([
      [1, 1, 1],
      [2, 2],
    ]);
  });

  it.each(['array', 'batch'] as const)(
    'gets at most its maxEvents per %s, and as few requests as that allows while events wait',
    async (shape) => {
      const destination = await setUp(uniqueName('account'), shape, { maxEvents: 50 });
      await publishVersion2(rig, destination, events(0, 1000));
      await rig.startWorker();
      await delivered(rig, destination.id, 1000);
      const sizes = receiver.requests.map((request) => eventsIn(request).length);
      expect(distinct()).toHaveLength(1000);
      expect(Math.max(...sizes)).toBe(50);
      expect(sizes.length).toBeLessThanOrEqual(25);
    },
  );

  it('gets an event alone that comes while nothing is in flight, as array', async () => {
    const destination = await setUp(uniqueName('account'), 'array');
    await rig.startWorker();
    for (let i = 0; i < 3; i += 1) {
      await publishVersion2(rig, destination, events(i, i + 1));
      await receiver.waitForRequests(i + 1);
    }
    expect(receiver.requests.map((request) => eventsIn(request).length)).toEqual([1, 1, 1]);
  });

  it('gets arrays of at most the operator’s limit', async () => {
    const few = await startRig({ kind, limits: { batchMax: 7 } });
    const destination = await few.destination(uniqueName('account'), receiver.url, inShape('array'));
    await publishVersion2(few, destination, events(0, 20));
    await few.startWorker();
    await delivered(few, destination.id, 20);
    expect(Math.max(...receiver.requests.map((request) => eventsIn(request).length))).toBe(7);
    await few.close();
  });

  it('gets arrays of at most 1 MiB', async () => {
    const destination = await setUp(uniqueName('account'), 'array', { concurrency: 1 });
    const areAllAppended = async () => {
      const { state } = await rig.mailbox(destination.id);
      return state.fresh + state.window.reduce((sum, batch) => sum + batch.events, 0) === 700;
    };
    // The first request leaves while the others are appended.
    receiver.setReply(async () => {
      if (receiver.requests.length === 1) await eventually(areAllAppended, { what: 'all events in the mailbox' });
      return { status: 204 };
    });
    const metadata = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`k${i}`, 'x'.repeat(500)]));
    await rig.startWorker();
    await publishVersion2(
      rig,
      destination,
      events(0, 700).map((event) => ({ ...event, metadata })),
    );
    await delivered(rig, destination.id, 700);
    const bytes = receiver.requests.map(({ text }) => Buffer.byteLength(text));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(1_048_576);
    expect(Math.max(...bytes)).toBeGreaterThan(900_000);
  });

  it('gets events of version 1 that still wait as the specification has them, in requests of their own', async () => {
    const destination = await setUp(uniqueName('account'), 'array');
    const old = () => (kind === 'campaign' ? aCampaignEvent() : anOpen());
    await rig.publish([old(), old(), old()], destination);
    await publishVersion2(rig, destination, events(0, 2));
    await rig.startWorker();
    await delivered(rig, destination.id, 5);
    const versions = receiver.requests.map(({ json }) =>
      Array.isArray(json) ? json.map(({ version }: { version?: number }) => version) : 'alone',
    );
    // Several may be in flight at the same time.
    const expected = kind === 'campaign' ? [[undefined, undefined, undefined]] : ['alone', 'alone', 'alone'];
    expect(versions.sort((one, other) => one.length - other.length).map(String)).toEqual(
      [[2, 2], ...expected].map(String),
    );
  });
});
