import type { Destination, Mechanism } from '@mailhook/core';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, ReplyAction } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsIn, eventsOf, idsIn, inShape, publishVersion2 } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];

/** A change counts from the next frozen request. A frozen one keeps its body and the rule that judges its reply. */
describe.each(KINDS)('%s: a destination whose shape changes', (kind) => {
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

  const save = async (destination: Destination, more: Partial<Destination>): Promise<Destination> => {
    const changed = { ...destination, version: destination.version + 1, ...more };
    await rig.registry.save(changed);
    return changed;
  };
  const sizes = () => receiver.requests.map((request) => eventsIn(request).length);
  const isObject = (text: string): boolean => text.startsWith('{');

  /** Publishes events while a request waits for its reply. Returns the function that sends the reply. */
  async function withRequestInFlight(more: Partial<Destination>) {
    let answer: (reply: ReplyAction) => void = () => undefined;
    const held = new Promise<ReplyAction>((resolve) => (answer = resolve));
    receiver.setReply(() => (receiver.requests.length === 1 ? held : { status: 204 }));
    const destination = await rig.destination(uniqueName('account'), receiver.url, more);
    await rig.startWorker();
    await publishVersion2(rig, destination, eventsOf(kind, 0, 3));
    await receiver.waitForRequests(1);
    return { destination, answer };
  }

  it('resends an array as it was, and sends waiting events one by one', async () => {
    const { destination, answer } = await withRequestInFlight(inShape('array'));
    const single = await save(destination, inShape('single'));
    await publishVersion2(rig, destination, eventsOf(kind, 3, 5));
    await publishVersion2(rig, single, eventsOf(kind, 5, 6));
    answer({ status: 500 });
    await eventually(() => receiver.requests.filter(({ text }) => isObject(text)).length === 3, {
      what: 'three single events',
    });
    await eventually(() => receiver.requests.length === 5, { what: 'the resend' });
    const arrays = receiver.requests.filter(({ text }) => !isObject(text));
    expect(new Set(arrays.map(({ text }) => text)).size).toBe(1);
    expect(idsIn(receiver.requests).length).toBe(3 + 3 + 3);
  });

  it('judges the reply to a batch by its acknowledgements, although the next requests are arrays', async () => {
    const { destination, answer } = await withRequestInFlight(inShape('batch'));
    await save(destination, inShape('array'));
    // As an array, the request would count as delivered.
    answer({ json: [] });
    await receiver.waitForRequests(2);
    receiver.setReply(({ json }) => acknowledge(json));
    await eventually(async () => (await rig.deadLetters.list({}, { limit: 10 })).items.length === 1, {
      what: 'a dead letter, because the second reply was no acknowledgement either',
    });
    expect(receiver.requests.map((request) => eventsIn(request).map(({ attempt }) => attempt))).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
    // A dead letter keeps its shape too.
    await rig.deadLetters.redrive({});
    const [, , third] = await receiver.waitForRequests(3);
    expect(eventsIn(third!).map(({ attempt, hash }) => [attempt, typeof hash])).toEqual(
      [3, 3, 3].map((attempt) => [attempt, 'string']),
    );
    await rig.untilEmpty(destination.id);
  });

  it('judges the reply to an array by its status, although the next requests are batches', async () => {
    const { destination, answer } = await withRequestInFlight(inShape('array'));
    await save(destination, inShape('batch'));
    answer({ status: 202, body: 'thanks' });
    await rig.untilEmpty(destination.id);
    expect(receiver.requests).toHaveLength(1);
    expect(rig.attempts.map(({ status }) => status)).toEqual(['delivered']);
  });

  it('freezes by a changed maxEvents and concurrency, and keeps the request in flight', async () => {
    const { destination, answer } = await withRequestInFlight(inShape('array', { concurrency: 1 }));
    await publishVersion2(rig, destination, eventsOf(kind, 3, 13));
    await eventually(async () => (await rig.mailbox(destination.id)).state.fresh === 10, {
      what: 'ten waiting events',
    });
    expect(sizes()).toEqual([3]);
    await save(destination, { maxEvents: 2 });
    answer({ status: 204 });
    await receiver.waitForRequests(6);
    await rig.untilEmpty(destination.id);
    expect(sizes()).toEqual([3, 2, 2, 2, 2, 2]);
  });
});

describe('a destination of notifications whose version changes', () => {
  it('gets those that were accepted before as notifications, alone, and never with events of version 2', async () => {
    const receiver = await startReceiver();
    const rig = await startRig({ kind: 'transactional' });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([anOpen(), anOpen()], destination);
    const array = { ...destination, ...inShape('array'), version: 2 };
    await rig.registry.save(array);
    await publishVersion2(rig, array, eventsOf('transactional', 0, 3));
    await rig.publish([anOpen()], destination);
    await rig.startWorker();
    await receiver.waitForRequests(4);
    await rig.untilEmpty(destination.id);
    const shown = receiver.requests.map(({ json }) => (Array.isArray(json) ? json.length : 'alone'));
    expect(shown.map(String).sort()).toEqual(['3', 'alone', 'alone', 'alone']);
    await rig.close();
    await receiver.close();
  });
});

/** The shape under which bodies are made, not the one that the destination has by then. */
describe.each(KINDS)('%s: dead letters of events from before a change of version and shape', (kind) => {
  const before = kind === 'campaign' ? 'batch' : 'single';
  const version1 = (id: number) => (kind === 'campaign' ? aCampaignEvent({ email: `r${id}@example.com` }) : anOpen());
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeEach(async () => {
    rig = await startRig({ kind, scheduleMs: [] });
    receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  /** Events of version 1, and then of version 2, wait at a destination of arrays. */
  async function mixed(): Promise<Destination> {
    const destination = await rig.destination(uniqueName('account'), receiver.url, inShape(before));
    await rig.publish([version1(1), version1(2)], destination);
    const array = { ...destination, ...inShape('array'), version: 2 };
    await rig.registry.save(array);
    await publishVersion2(rig, array, eventsOf(kind, 0, 3));
    return array;
  }
  const listed = async (letters: number) => {
    const list = async () => (await rig.deadLetters.list({}, { limit: 10 })).items;
    await eventually(async () => (await list()).length === letters, { what: `${letters} dead letters` });
    return Promise.all(
      (await list()).map(async ({ id, account, shape, events }) => {
        const { payloads } = (await rig.deadLetters.read(account, id))!;
        return `${shape} ${events} ${[...new Set(payloads.map(({ version = 1 }) => version))].join()}`;
      }),
    );
  };

  it('list the shape of requests that were sent', async () => {
    await mixed();
    await rig.startWorker();
    const first = kind === 'campaign' ? ['batch 2 1'] : ['single 1 1', 'single 1 1'];
    expect((await listed(first.length + 1)).sort()).toEqual(['array 3 2', ...first]);
    expect([...new Set(rig.attempts.map(({ shape }) => shape))].sort()).toEqual(['array', before]);
  });

  it('list the shape that events would have had which were never sent, and hold events of one version', async () => {
    const destination = await mixed();
    await rig.registry.save({ ...destination, version: 3, active: false, inactiveReason: 'switched off' });
    await rig.startWorker();
    expect((await listed(2)).sort()).toEqual(['array 3 2', `${before} 2 1`]);
  });
});
