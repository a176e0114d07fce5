import type { Destination, Mechanism, Shape } from '@mailhook/core';
import { acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest, ReplyAction } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsIn, eventsOf, inShape, publishVersion2 } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];

describe.each(KINDS)('%s: a destination gets at most its concurrency of requests at a time', (kind) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let [now, most, seen] = [0, 0, 0];
  let taken = new Set<string>();
  beforeEach(async () => {
    [now, most, seen, taken] = [0, 0, 0, new Set()];
    // Little time with a worker, so that the destination changes hands.
    rig = await startRig({ kind, scheduleMs: Array<number>(20).fill(5), limits: { slots: 1, sliceMs: 30 } });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  /** Answers after a while. If `refuses`, refuses every third request, but no event again and again. */
  const counting =
    (refuses: boolean) =>
    async (request: ReceivedRequest): Promise<ReplyAction> => {
      now += 1;
      seen += 1;
      most = Math.max(most, now);
      void request.over.then(() => (now -= 1));
      const isRefused = refuses && seen % 3 === 0 && request.headers['webhook-attempt'] === '1';
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isRefused) return { status: 500 };
      for (const { id } of eventsIn(request)) taken.add(id);
      return eventsIn(request)[0]?.hash === undefined ? { status: 204 } : acknowledge(request.json);
    };
  const untilTaken = (count: number) =>
    eventually(() => taken.size === count, { what: `${count} events`, withinMs: 25_000 });

  /** Two workers, a neighbor that takes the destination's place, and events that come one after the other. */
  async function deliverAll(destination: Destination, count: number): Promise<void> {
    const neighbor = await rig.destination(uniqueName('account'), `${receiver.url}/neighbor`, inShape('single'));
    const workers = await Promise.all([rig.startWorker(), rig.startWorker()]);
    const step = count / 4;
    for (let from = 0; from < count; from += step) {
      await publishVersion2(rig, destination, eventsOf(kind, from, from + step));
      await publishVersion2(rig, neighbor, eventsOf(kind, from, from + 5));
      // One worker ends and another one takes over, in the middle.
      if (from === step) await Promise.all([workers[0].close(), rig.startWorker()]);
    }
    await untilTaken(count);
  }

  test.each<[Shape, Partial<Destination>]>([
    ['single', {}],
    ['array', { maxEvents: 3 }],
    ['batch', { maxEvents: 3 }],
  ])('%s: 1 means never two, with resends, two workers and a takeover', async (shape, more) => {
    const reply = counting(true);
    receiver.setReply((request) => (request.path === '/neighbor' ? { status: 204 } : reply(request)));
    const destination = await rig.destination(
      uniqueName('account'),
      receiver.url,
      inShape(shape, { concurrency: 1, ...more }),
    );
    await deliverAll(destination, 60);
    expect(rig.attempts.filter(({ attempt }) => attempt > 1).length).toBeGreaterThan(2);
    expect(most).toBe(1);
  });

  test.each<[Shape, number]>([
    ['single', 16],
    ['single', 3],
    ['array', 4],
    ['array', 2],
  ])('%s: up to %i, and no more', async (shape, concurrency) => {
    receiver.setReply(counting(false));
    const destination = await rig.destination(
      uniqueName('account'),
      receiver.url,
      inShape(shape, { concurrency, ...(shape === 'array' ? { maxEvents: 2 } : {}) }),
    );
    await rig.startWorker();
    await publishVersion2(rig, destination, eventsOf(kind, 0, 300));
    await untilTaken(300);
    expect(most).toBe(concurrency);
  });
});
