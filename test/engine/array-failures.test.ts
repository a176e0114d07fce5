import type { Destination, Mechanism } from '@mailhook/core';
import { eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { ACTIVE, GONE } from '../../packages/delivery/src/mailbox/constants.ts';
import type { RigOptions } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsIn, eventsOf, idsIn, inShape, publishVersion2 } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];

/** What holds for batches holds for arrays too, of which the status line decides. */
describe.each(KINDS)('%s: arrays', (kind) => {
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: () => ({ status: 204 }) });
  });
  afterEach(() => receiver.close());

  /** An array destination with waiting events, and a worker. */
  async function withEvents(count: number, options: Partial<RigOptions> = {}, more: Partial<Destination> = {}) {
    const rig = await startRig({ kind, scheduleMs: [20], ...options });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url, inShape('array', more));
    await publishVersion2(rig, destination, eventsOf(kind, 0, count));
    await rig.startWorker();
    const dead = async () => (await rig.deadLetters.list({ account }, { limit: 100 })).items;
    return { rig, account, destination, dead };
  }
  const takenBy = (isTaken: (request: ReceivedRequest) => boolean) => () =>
    new Set(idsIn(receiver.requests.filter(isTaken)));
  const seconds = (n: number) => ({ withinMs: n * 1000 });

  test('are halved after a 413 until they fit, without a pause, and larger ones are not tried again', async () => {
    const isTooLarge = ({ text }: ReceivedRequest) => text.length > 20_000;
    receiver.setReply((request) => ({ status: isTooLarge(request) ? 413 : 200 }));
    const { rig, destination } = await withEvents(800, { scheduleMs: [3_600_000], breakerFailures: 1 });
    const taken = takenBy((request) => !isTooLarge(request));
    await eventually(() => taken().size === 800, { what: '800 events', ...seconds(20) });
    const before = receiver.requests.length;
    await publishVersion2(rig, destination, eventsOf(kind, 800, 1200));
    await eventually(() => taken().size === 1200, { what: '1,200 events', ...seconds(20) });
    expect(receiver.requests.slice(before).filter(isTooLarge)).toEqual([]);
    expect(idsIn(receiver.requests.filter((request) => !isTooLarge(request)))).toHaveLength(1200);
    await rig.close();
  });

  test('are halved after refusals, until the event that the receiver refuses is a dead letter', async () => {
    const isRefused = (request: ReceivedRequest) => eventsIn(request).some(({ id }) => id === 'event-61');
    receiver.setReply((request) => ({ status: isRefused(request) ? 422 : 200 }));
    const { rig, dead } = await withEvents(100);
    await eventually(async () => (await dead()).length === 1, { what: 'the dead letter', ...seconds(20) });
    expect((await dead()).map(({ events }) => events)).toEqual([1]);
    const taken = takenBy((request) => !isRefused(request));
    await eventually(() => taken().size === 99, { what: '99 events', ...seconds(20) });
    // A webhook-id never names two contents.
    const contents = new Map<unknown, string>();
    for (const { headers, text } of receiver.requests) {
      expect(contents.get(headers['webhook-id']) ?? text).toBe(text);
      contents.set(headers['webhook-id'], text);
    }
    await rig.close();
  });

  test('end with a 410: the destination is switched off, and all events become dead letters', async () => {
    receiver.setReply(() => ({ status: 410 }));
    const { rig, destination, dead } = await withEvents(30, {}, { maxEvents: 10 });
    const deadEvents = async () => (await dead()).reduce((sum, { events }) => sum + events, 0);
    await eventually(async () => (await deadEvents()) === 30, { what: '30 dead events', ...seconds(20) });
    expect(receiver.requests).toHaveLength(1);
    expect((await rig.mailbox(destination.id)).record?.record).toBe(GONE);
    await rig.close();
  });

  test('wait for Retry-After, and come again with the same bytes', async () => {
    receiver.setReply(() =>
      receiver.requests.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 204 },
    );
    const { rig } = await withEvents(5, { scheduleMs: [20, 5000] });
    const [first, second] = await receiver.waitForRequests(2, 10_000);
    expect(second!.text).toBe(first!.text);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.at - first!.at).toBeGreaterThan(990);
    await rig.close();
  });

  test('become dead letters after the last attempt, and a redrive sends the same bytes', async () => {
    receiver.setReply(() => ({ status: 503 }));
    const { rig, account, destination, dead } = await withEvents(12);
    await eventually(async () => (await dead()).length === 1, { what: 'a dead letter', ...seconds(20) });
    expect((await dead()).map(({ events, attempts }) => [events, attempts])).toEqual([[12, 2]]);
    receiver.setReply(() => ({ status: 200, body: 'not read' }));
    await rig.deadLetters.redrive({ account });
    const requests = await receiver.waitForRequests(3);
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
    await eventually(async () => (await dead()).length === 0, { what: 'no dead letter' });
    await rig.untilEmpty(destination.id);
    expect((await rig.mailbox(destination.id)).record?.record).toBe(ACTIVE);
    await rig.close();
  });
});
