import { exampleCampaignEvent, exampleEvent, SHAPE_LIMITS } from '@mailhook/core';
import type { ProducerEvent, Route } from '@mailhook/core';
import { createEraseEvents } from '@mailhook/delivery';
import type { ErasedFrom, EventsToErase } from '@mailhook/delivery';
import { eventually, goodReply, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startRig } from './rig.ts';
import type { Rig } from './rig.ts';

const HOUR_MS = 3_600_000;
const [ANNA, BOB] = ['Anna@example.com', 'bob@example.com'];
const FORMS = (['transactional', 'campaign'] as const).flatMap((kind) =>
  (['single', 'array', 'batch'] as const).map((shape) => [kind, shape] as const),
);

describe.each(FORMS)('an erasure at a %s destination of the shape %s', (kind, shape) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  const account = uniqueName('account');
  const eventOf = (email: string, i: number): ProducerEvent => {
    const own = { account, id: `${i}/${email}`, messageId: email === ANNA ? 'of-anna' : 'of-bob', email };
    const event = kind === 'campaign' ? exampleCampaignEvent('bounce') : exampleEvent('bounce');
    return { ...event, ...own, metadata: { email: ANNA } };
  };

  beforeEach(async () => {
    const queuePrefix = uniqueName('rig');
    const scheduleMs = [HOUR_MS];
    rig = await startRig({
      kind,
      queuePrefix,
      scheduleMs,
      breakerFailures: 1,
      parkMaxMs: HOUR_MS,
      bodiesKeptMs: 2 * HOUR_MS,
    });
    receiver = await startReceiver({ reply: () => ({ status: 500, body: `no ${ANNA}` }) });
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const setUp = async () => {
    const destination = await rig.destination(account, receiver.url, { shape, ...SHAPE_LIMITS[shape] });
    const route: Route = { id: destination.id, version: 2, isSingle: shape === 'single' };
    let published = 0;
    const publish = (emails: readonly string[]) =>
      rig.publisher.publish(
        emails.map((email) => ({ event: eventOf(email, (published += 1)), destinations: [route] })),
      );
    const erase = async (wanted: EventsToErase) => {
      const removed: Record<ErasedFrom, number> = { waiting: 0, resends: 0, deadLetters: 0 };
      const onErased = (from: ErasedFrom, events: number) => {
        removed[from] += events;
        return Promise.resolve();
      };
      const { signal } = new AbortController();
      const order = { account, wanted, destinations: [destination], onErased, signal };
      await createEraseEvents(rig.installation, rig.deadLetters)(order);
      return removed;
    };
    return { destination, publish, erase };
  };

  test.each([{ email: ANNA.toLowerCase() }, { messageId: 'of-anna' }])(
    'by %j reaches waiting events, resends, dead letters and kept bodies, and no others',
    async (wanted) => {
      const { destination, publish, erase } = await setUp();
      await publish([ANNA, BOB]);
      await rig.startWorker();
      await eventually(async () => (await rig.resendsOf(destination.id)).length > 0, { what: 'a resend' });
      await publish([ANNA, BOB]);
      await eventually(async () => (await rig.countUndelivered()) === 4, { what: 'all events' });
      // The ids of events, and the reply.
      const isNamed = async () =>
        (await rig.redis.lrange(`{${rig.queuePrefix}:0}:attempts:${account}:failed`, 0, -1)).join().includes(ANNA);
      await eventually(isNamed, { what: 'the attempt' });
      const first = await erase(wanted);
      expect(await isNamed()).toBe(false);
      expect([first.waiting + first.resends, first.deadLetters]).toEqual([2, 0]);
      await publish([ANNA, BOB]);
      await rig.registry.save({ ...destination, active: false, version: 2 });
      const events = async () =>
        (await rig.deadLetters.list({ account }, { limit: 10 })).items.reduce((sum, one) => sum + one.events, 0);
      await eventually(async () => (await events()) === 4, { what: 'dead letters' });
      expect(await erase(wanted)).toEqual({ waiting: 0, resends: 0, deadLetters: 1 });
      expect(await erase(wanted)).toEqual({ waiting: 0, resends: 0, deadLetters: 0 });
      const { items } = await rig.deadLetters.list({ account }, { limit: 10 });
      const read = await Promise.all(items.map(({ id }) => rig.deadLetters.read(account, id)));
      const left = read.flatMap((one) => one?.payloads ?? []).map((payload) => payload['email']);
      expect(left).toEqual([BOB, BOB, BOB]);

      receiver.setReply((request) => (shape === 'batch' ? goodReply(request) : { status: 204 }));
      await rig.registry.save({ ...destination, version: 3 });
      await publish([ANNA]);
      const [key = ''] = await eventually(
        async () => {
          const keys = await rig.redis.keys(`{${rig.queuePrefix}:0}:bodies:${account}:*`);
          return keys.length > 0 && keys;
        },
        { what: 'a kept body' },
      );
      expect(await rig.redis.llen(key)).toBe(1);
      await erase(wanted);
      expect(await rig.redis.exists(key)).toBe(0);
    },
  );
});
