import { engineKeys } from '@mailhook/delivery';
import { createEventLog } from '@mailhook/event-log';
import type { LogContent } from '@mailhook/event-log';
import { eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { contentOf } from '../../services/api/src/event-log/buffers.ts';
import { createMemoryStore } from '../../packages/event-log/src/memory-store.suite.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, inShape } from './version-2.suite.ts';

const ALL = { chunks: 10_000, outcomes: 10_000, bytes: Infinity };
const HOUR_MS = 3_600_000;
/** Requests of one event each, so that each is a chunk. */
const ROUND = 20;

describe('the spool of the event log', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let account: string;
  let destination: string;
  let published: number;

  const start = async (logMaxBytes: number) => {
    rig = await startRig({ kind: 'campaign', scheduleMs: [10], logMaxBytes });
    account = uniqueName('account');
    ({ id: destination } = await rig.destination(account, receiver.url, inShape('single')));
    await rig.startWorker();
    published = 0;
  };
  beforeEach(async () => (receiver = await startReceiver()));
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const keys = () => engineKeys(rig.queuePrefix, 0, 'campaign');
  const bytesOf = async () => (await rig.log.readState()).bytes;
  const gapEvents = async (): Promise<number> =>
    (await rig.log.read(ALL)).gaps.reduce((sum, gap) => sum + gap.events, 0);
  /** Resolves when their chunks have ended, and their requests have been answered. */
  const publish = async (count: number, destinations = [destination]) => {
    const ids = eventsOf('campaign', 1000 + published, 1000 + published + count);
    published += count;
    for (const event of ids)
      await rig.publisher.publish([
        { event: { ...event, account }, destinations: destinations.map((id) => ({ id, version: 2, isSingle: true })) },
      ]);
    await eventually(async () => (await rig.log.oldestOpen()) === undefined && (await rig.countUndelivered()) === 0, {
      what: 'the end of all chunks',
    });
  };
  const publishUntilGap = async () => {
    const before = await gapEvents();
    while ((await gapEvents()) === before) await publish(ROUND);
  };

  it('counts what its chunks take in Redis, and a trim gives back the same', async () => {
    await start(1_000_000);
    await publish(ROUND, []);
    const counted = await bytesOf();
    const chunks = await rig.redis.lrange(keys().logChunks, 0, -1);
    const sizes = await Promise.all(chunks.map((id) => rig.redis.memory('USAGE', keys().logChunk(id))));
    const list = (await rig.redis.memory('USAGE', keys().logChunks, 'SAMPLES', 0)) ?? 0;
    const used = sizes.reduce<number>((sum, size) => sum + (size ?? 0), list);
    expect(counted / used).toBeGreaterThan(0.95);
    expect(counted / used).toBeLessThan(1.25);
    const { read } = await rig.log.take({ ...ALL, chunks: ROUND / 4 });
    expect(await rig.log.trim(read)).toBe(true);
    expect(await bytesOf()).toBe((counted * 3) / 4);
  });

  it('shows a gap for an account whose outcome found no room', async () => {
    await start(1_000_000);
    let reply: () => void = () => undefined;
    const mayReply = new Promise<void>((resolve) => (reply = resolve));
    receiver.setReply(async () => {
      await mayReply;
      return { status: 204 };
    });
    const delivery = publish(1);
    await receiver.waitForRequests(1);
    await eventually(async () => (await rig.log.read(ALL)).chunks.length === 1, { what: 'the chunk' });
    await rig.log.setFullUntil(Date.now() + HOUR_MS);
    reply();
    await delivery;
    const { outcomes, gaps } = await rig.log.read(ALL);
    expect([outcomes, gaps]).toEqual([[], [expect.objectContaining({ account, events: 0 })]]);
  });

  it('takes at most half for an account, with its outcomes, also after each trim', async () => {
    const MAX = 40_000;
    await start(MAX);
    for (let trims = 0; trims < 3; trims += 1) {
      await publishUntilGap();
      await publish(ROUND);
      // The last chunk of the first eighth may be beyond it.
      expect(await bytesOf()).toBeLessThanOrEqual(MAX / 2 + 1000);
      expect(await bytesOf()).toBeGreaterThan(MAX / 3);
      const { read } = await rig.log.take({ ...ALL, chunks: 5, outcomes: 5 });
      expect(await rig.log.trim(read)).toBe(true);
    }
    const counted = Number(await rig.redis.hget(keys().logShares, account));
    expect(counted).toBeGreaterThan(0);
    await rig.log.trim((await rig.log.take(ALL)).read);
    expect([await bytesOf(), await rig.redis.exists(keys().logShares)]).toEqual([0, 0]);
  });

  it('shows each missing event in one gap, if a closer dies after its put and others are lost meanwhile', async () => {
    await start(10_000);
    const log = createEventLog({ store: createMemoryStore(), key: 'key', retentionMs: HOUR_MS });
    const put = async () => {
      const taken = await rig.log.take(ALL);
      await log.close('0', contentOf(taken));
      return taken;
    };
    await publishUntilGap();
    await put();
    await publish(ROUND);
    const nothing: LogContent = { events: [], outcomes: [], gaps: [] };
    for (let left = true; left;) {
      const taken = await put();
      left = taken.size > 0;
      expect(await rig.log.trim(taken.read)).toBe(true);
    }
    const { items, gaps } = await log.search({ account }, nothing, { limit: 1000 });
    expect(gaps.length).toBeGreaterThan(1);
    expect(gaps.reduce((sum, gap) => sum + gap.events, 0) + items.length).toBe(published);
  });
});
