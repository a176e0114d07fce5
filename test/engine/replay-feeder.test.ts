import { createReplayPublisher, engineKeys } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { eventually } from '@mailhook/testing';
import type { ReplayRig } from './replay-rig.suite.ts';
import { startReplayRig } from './replay-rig.suite.ts';
import { idsIn } from './version-2.suite.ts';

/** More than one page. */
const EVENTS = 700;
const DAY_MS = 86_400_000;

describe('the feeder of replays', () => {
  let own: ReplayRig;
  let worker: Closeable;
  beforeEach(async () => {
    own = await startReplayRig(EVENTS);
    worker = await own.rig.startWorker();
  });
  afterEach(() => own.close());

  const keys = () => engineKeys(own.rig.queuePrefix, 0, 'campaign');
  const delivered = () => idsIn(own.receiver.requests).length;
  const expectEachOnce = async (id: string) => {
    expect(await own.untilDone(id)).toMatchObject({ events: EVENTS, sent: EVENTS, missed: 0 });
    const ids = idsIn(own.receiver.requests);
    expect([new Set(ids).size, ids.length]).toEqual([EVENTS, EVENTS]);
  };

  it.each(['all', 'unmatched'] as const)(
    'dies between adding a page and storing its place (%s): each event is sent once',
    async (outcome) => {
      const id = await own.startReplay(outcome);
      const real = createReplayPublisher(own.rig.installation);
      let pages = 0;
      const doomed = own.startFeeder({
        replayPublisher: {
          publish: async (page) => {
            if (pages > 0) throw new Error('it is dead');
            pages += 1;
            await real.publish(page);
            throw new Error('it dies');
          },
        },
      });
      await eventually(() => delivered() > 0, { what: 'the first page' });
      await doomed.close();
      expect(delivered()).toBeGreaterThan(0);
      await own.rig.untilEmpty(own.destination.id);
      // All apis may be down for days.
      const keptMs = (page: number) => own.rig.redis.pttl(keys().progress(`p${id}-${page}`));
      expect(await keptMs(0)).toBeGreaterThan(7 * DAY_MS);
      own.startFeeder();
      await expectEachOnce(id);
      expect([(await keptMs(0)) < DAY_MS, (await keptMs(1)) > 7 * DAY_MS]).toEqual([true, true]);
    },
    60_000,
  );

  it('dies between planning a page and adding it: each event is sent once', async () => {
    const id = await own.startReplay('unmatched');
    const doomed = own.startFeeder({ replayPublisher: { publish: () => Promise.reject(new Error('it is dead')) } });
    await eventually(async () => (await own.replays.read(id))?.planned !== undefined, { what: 'a planned page' });
    await doomed.close();
    expect(delivered()).toBe(0);
    own.startFeeder();
    await expectEachOnce(id);
  }, 60_000);

  it('is rolled back with Redis: the replay ends, and only the lost page is sent again', async () => {
    const { redis } = own.rig;
    const id = await own.startReplay();
    const real = createReplayPublisher(own.rig.installation);
    let isHeld = true;
    const publish: typeof real.publish = (page) =>
      isHeld && page.page > 0 ? Promise.reject(new Error('held')) : real.publish(page);
    const feeder = own.startFeeder({ replayPublisher: { publish } });
    await eventually(() => delivered() > 0, { what: 'the first page' });
    await own.rig.untilEmpty(own.destination.id);
    const first = delivered();
    const all = () => redis.keys(`*${own.rig.queuePrefix}*`);
    const dumpOf = (key: string): Promise<Buffer | null> => redis.dumpBuffer(key);
    const copies = await Promise.all(
      (await all()).map(async (key) => ({ key, ttlMs: Math.max(0, await redis.pttl(key)), dump: await dumpOf(key) })),
    );
    isHeld = false;
    await own.untilDone(id);
    await feeder.close();
    await worker.close();
    await redis.del(await all());
    for (const { key, ttlMs, dump } of copies) if (dump !== null) await redis.restore(key, ttlMs, dump);
    await own.rig.startWorker();
    own.startFeeder();
    expect(await own.untilDone(id)).toMatchObject({ events: EVENTS, sent: EVENTS, missed: 0 });
    const ids = idsIn(own.receiver.requests);
    expect([new Set(ids).size, ids.length]).toEqual([EVENTS, 2 * EVENTS - first]);
    expect(ids.slice(EVENTS)).toEqual(ids.slice(first, EVENTS));
  }, 60_000);
});
