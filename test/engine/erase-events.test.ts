import { createDestinationControl, createEraseEvents } from '@mailhook/delivery';
import { createAccountUsages } from '@mailhook/insight';
import type { ErasedFrom, EventsToErase } from '@mailhook/delivery';
import { aCampaignEvent, aClick, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const ANNA = 'Anna@example.com';
const PARKED: RigOptions = { kind: 'campaign', scheduleMs: [HOUR_MS], breakerFailures: 1, parkMaxMs: HOUR_MS };

const emailsOf = (receiver: FakeReceiver): string[] =>
  receiver.requests.flatMap(({ json }) => (json as { email: string }[]).map(({ email }) => email));

/** An engine with one destination whose receiver fails at first. */
async function startScene(options: RigOptions = PARKED) {
  const rig = await startRig(options);
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const good = await startReceiver({
    reply: ({ json }) => (Array.isArray(json) ? acknowledge(json) : { status: 200 }),
  });
  const account = uniqueName('account');
  const destination = await rig.destination(account, receiver.url);
  const erase = createEraseEvents(rig.installation, rig.deadLetters);
  const usages = createAccountUsages(rig.installation);
  return {
    rig,
    receiver,
    good,
    account,
    destination,
    usage: () => usages.read(account),
    /** The address becomes one with a correct receiver. Resolves when nothing waits. */
    async deliverTheRest(version = 2) {
      await rig.registry.save({ ...destination, address: good.url, version });
      const control = createDestinationControl(rig.installation);
      await eventually(
        async () => {
          await control.sendNow(destination.id);
          return (await usages.read(account)).events === 0;
        },
        { what: 'all deliveries' },
      );
    },
    delivered: () => emailsOf(good).sort(),
    publish: (emails: readonly string[]) =>
      rig.publish(
        emails.map((email) => aCampaignEvent({ email })),
        destination,
      ),
    async erase(wanted: EventsToErase = { email: ANNA }) {
      const removed = { waiting: 0, resends: 0, deadLetters: 0 };
      const count = (from: ErasedFrom, events: number) => {
        removed[from] += events;
        return Promise.resolve();
      };
      const { signal } = new AbortController();
      const order = { account, wanted, destinations: [destination], onErased: count, signal };
      return { ...(await erase(order)), removed };
    },
    async close() {
      await rig.close();
      await Promise.all([receiver.close(), good.close()]);
    },
  };
}

test('waiting events and a resend lose the events of the recipient, the others arrive, and the sums fit', async () => {
  const scene = await startScene();
  const { rig, destination } = scene;
  await rig.startWorker();
  await scene.publish(['bob@example.com', ANNA, 'carl@example.com']);
  await eventually(async () => (await rig.resendsOf(destination.id)).length === 1, { what: 'the resend' });
  const [before] = await rig.resendsOf(destination.id);
  await scene.publish(['dora@example.com', 'ANNA@example.com', 'emil@example.com']);
  await scene.publish([ANNA]);
  await eventually(async () => (await scene.usage()).events === 7, { what: 'the waiting events' });
  const bytes = (await scene.usage()).bytes;

  const clean = { inFlight: 0, queued: 0, isDisturbed: false };
  // The log of attempts has lost the event too.
  const removed = { waiting: 2, resends: 1, deadLetters: 0 };
  expect(await scene.erase()).toEqual({ ...clean, isDisturbed: true, removed });
  expect(await scene.erase()).toEqual({ ...clean, removed: { waiting: 0, resends: 0, deadLetters: 0 } });
  const usage = await scene.usage();
  expect(usage.events).toBe(4);
  expect(usage.bytes).toBeLessThan(bytes);
  const [after] = await rig.resendsOf(destination.id);
  expect(after?.webhookId).not.toBe(before?.webhookId);
  expect(after).toMatchObject({ events: 2, attempt: 1 });

  await scene.deliverTheRest();
  expect(scene.delivered()).toEqual(['bob', 'carl', 'dora', 'emil'].map((name) => `${name}@example.com`));
  expect((await scene.usage()).bytes).toBe(0);
  await scene.close();
});

test('a batch in flight stays as it is, also for its resend, and entries behind it lose their events', async () => {
  const scene = await startScene({ ...PARKED, limits: { windowMax: 1 } });
  const { rig, receiver, destination } = scene;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  receiver.setReply(async () => (await released, { status: 500 }));
  await rig.startWorker();
  await scene.publish(['bob@example.com', ANNA]);
  await receiver.waitForRequests(1);
  await scene.publish(['carl@example.com', ANNA]);
  await eventually(async () => (await scene.usage()).events === 4, { what: 'the entry behind it' });
  expect(await scene.erase()).toMatchObject({ inFlight: 1, removed: { waiting: 1, resends: 0 } });
  release();
  await eventually(async () => (await rig.resendsOf(destination.id)).length === 1, { what: 'the resend' });
  expect(await scene.erase()).toMatchObject({ inFlight: 0, removed: { waiting: 0, resends: 1 } });
  await scene.deliverTheRest();
  expect(scene.delivered()).toEqual(['bob@example.com', 'carl@example.com']);
  await scene.close();
});

test('dead letters lose the events, those left empty are discarded, and the others can be redriven', async () => {
  const scene = await startScene();
  const { rig, account, destination } = scene;
  await rig.startWorker();
  await scene.publish(['bob@example.com', ANNA]);
  await eventually(async () => (await rig.resendsOf(destination.id)).length === 1, { what: 'the resend' });
  const [sent] = await rig.resendsOf(destination.id);
  await scene.publish([ANNA, 'carl@example.com']);
  await scene.publish([ANNA]);
  const off = { ...destination, active: false };
  const deadEvents = async () =>
    (await rig.deadLetters.list({ account }, { limit: 10 })).items.map(({ events }) => events).sort();
  await rig.registry.save({ ...off, version: 2 });
  await eventually(async () => (await deadEvents()).join() === '2,3', { what: 'two dead letters' });
  await scene.publish([ANNA]);
  await eventually(async () => (await deadEvents()).join() === '1,2,3', { what: 'a third' });
  expect(await scene.erase()).toMatchObject({ inFlight: 0, removed: { waiting: 0, resends: 0, deadLetters: 4 } });
  expect(await deadEvents()).toEqual([1, 1]);
  expect(await scene.erase()).toMatchObject({ removed: { deadLetters: 0 } });
  await rig.registry.save({ ...destination, address: scene.good.url, version: 3 });
  expect(await rig.deadLetters.redrive({ account })).toEqual({ redriven: 2 });
  await scene.deliverTheRest(4);
  expect(scene.delivered()).toEqual(['bob@example.com', 'carl@example.com']);
  // Another content under the same id could be taken for a duplicate.
  expect(scene.good.requests.map(({ headers }) => headers['webhook-id'])).not.toContain(sent?.webhookId);
  expect(await scene.usage()).toMatchObject({ events: 0, bytes: 0, deadLetters: 0 });
  await scene.close();
});

test('while workers send and two processes erase, no other event is lost or repeated or changes its id', async () => {
  const scene = await startScene({
    kind: 'campaign',
    scheduleMs: Array.from({ length: 60 }, () => 1),
    limits: { batchMax: 20 },
  });
  const { rig, receiver } = scene;
  const contents = new Map<string, Set<string>>();
  const taken: string[] = [];
  let requests = 0;
  receiver.setReply((request) => {
    const events = request.json as { email: string; hash: string; attempt: number }[];
    const id = String(request.headers['webhook-id']);
    contents.set(id, (contents.get(id) ?? new Set()).add(events.map(({ hash }) => hash).join()));
    if ((requests += 1) % 3 === 0) return { status: 500 };
    const isTaken = (_: unknown, i: number): boolean => (i + requests) % 4 !== 0 || events.length === 1;
    taken.push(...events.filter(isTaken).map(({ email }) => email));
    return acknowledge(request.json, isTaken);
  });
  const others = Array.from({ length: 1500 }, (_, i) => `r${i}@example.com`);
  for (let i = 0; i < others.length; i += 30)
    await scene.publish(others.slice(i, i + 30).flatMap((one) => [one, ANNA]));
  await Promise.all([rig.startWorker(), rig.startWorker()]);
  let removed = 0;
  const eraser = async () => {
    for (let isEmpty = false; !isEmpty;) {
      const done = await scene.erase();
      removed += done.removed.waiting + done.removed.resends + done.removed.deadLetters;
      isEmpty = (await scene.usage()).events === 0 && taken.filter((email) => email !== ANNA).length >= others.length;
    }
  };
  await Promise.all([eraser(), eraser()]);
  expect(await scene.usage()).toMatchObject({ events: 0, deadLetters: 0, bytes: 0 });
  expect(taken.filter((email) => email !== ANNA).sort()).toEqual([...others].sort());
  expect(removed + taken.filter((email) => email === ANNA).length).toBe(others.length);
  expect(removed).toBeGreaterThan(0);
  expect([...contents.values()].filter(({ size }) => size > 1)).toEqual([]);
  await scene.close();
}, 60_000);

test('a notification is erased by its `messageId`', async () => {
  const scene = await startScene({ ...PARKED, kind: 'transactional' });
  const { rig, destination } = scene;
  await rig.publish(
    ['one', 'two', 'one'].map((messageId) => aClick({ messageId })),
    destination,
  );
  await rig.startWorker();
  await eventually(async () => (await rig.resendsOf(destination.id)).length > 0, { what: 'the resend' });
  await eventually(async () => (await scene.erase({ messageId: 'one' })).inFlight === 0, { what: 'the end' });
  expect((await scene.usage()).events).toBe(1);
  await rig.registry.save({ ...destination, address: scene.good.url, version: 2 });
  await scene.deliverTheRest(3);
  expect(scene.good.requests.map(({ json }) => (json as { messageId: string }).messageId)).toEqual(['two']);
  await scene.close();
});
