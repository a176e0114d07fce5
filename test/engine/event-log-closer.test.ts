import { engineKeys } from '@mailhook/delivery';
import { createEventLog, createFolderStore, entryName } from '@mailhook/event-log';
import type { EventLog, LogStore } from '@mailhook/event-log';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contentOf } from '../../services/api/src/event-log/buffers.ts';
import { startCloser } from '../../services/api/src/event-log/closer.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, inShape } from './version-2.suite.ts';

const keysOf = ({ queuePrefix }: Rig) => engineKeys(queuePrefix, 0, 'campaign');

const HOUR_MS = 3_600_000;
const MAX_BYTES = 100_000;

describe('the closer of the event log', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let folder: string;
  let store: LogStore;
  let log: EventLog;
  let account: string;
  let destination: string;
  const running: Closeable[] = [];

  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.setReply(({ json }) => acknowledge(json));
    rig = await startRig({ kind: 'campaign', scheduleMs: [10], logMaxBytes: MAX_BYTES });
    await rig.startWorker();
    folder = await mkdtemp(path.join(tmpdir(), 'closer-'));
    store = createFolderStore(folder);
    log = createEventLog({ store, key: 'key', retentionMs: HOUR_MS });
    account = uniqueName('account');
    ({ id: destination } = await rig.destination(account, receiver.url, inShape('array')));
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
    await rig.close();
    await receiver.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A closer like that of an api, which closes at every look. */
  const start = (through: LogStore = store, deps: object = {}) => {
    const failures: unknown[] = [];
    const closer = startCloser({
      shards: [rig.log],
      log: createEventLog({ store: through, key: 'key', retentionMs: HOUR_MS }),
      maxBytes: MAX_BYTES,
      redis: rig.redis,
      prefix: rig.installation.prefix,
      logger: createLogger({ level: 'silent', service: 'api', pretty: false }),
      observe: { closed: () => undefined, failed: () => void failures.push(1) },
      everyMs: 20,
      closeAfterMs: 0,
      ...deps,
    });
    running.push(closer);
    return { failures, close: () => closer.close() };
  };
  const publish = (from: number, to: number, of = account) =>
    rig.publisher.publish(
      eventsOf('campaign', from, to).map((event) => ({
        event: { ...event, account: of },
        destinations: of === account ? [{ id: destination, version: 2, isSingle: false }] : [],
      })),
    );
  const buffered = () => rig.log.read({ chunks: 1000, outcomes: 1000, bytes: Infinity });
  /** What a customer sees, of the segments and of the buffer. */
  const read = async (of = account) => log.search({ account: of }, contentOf(await buffered()), { limit: 1000 });
  const segments = async () => (await store.list('segments/')).length;
  const delivered = async (count: number) => {
    await eventually(
      async () => {
        const { items } = await read();
        return items.length === count && items.every(({ outcomes: [one] }) => one?.result === 'delivered');
      },
      { what: `${count} delivered events` },
    );
    const { items } = await read();
    expect(new Set(items.map(({ event }) => entryName(event))).size).toBe(count);
  };
  const emptied = () => eventually(async () => (await rig.log.readState()).bytes === 0, { what: 'an empty buffer' });

  it('dies before the put or between put and trim: the next one closes, and no entry is twice', async () => {
    await publish(0, 3);
    await delivered(3);
    const died = await buffered();
    await log.close('0', contentOf(died));
    // It has put a segment and dies. Others come meanwhile.
    await publish(3, 5);
    await delivered(5);
    start();
    await emptied();
    expect(await segments()).toBeGreaterThan(1);
    await delivered(5);
    expect(await rig.log.trim(died.read)).toBe(false);
  });

  it('loses its lease while it puts: the slow one may not trim what the quick one has left', async () => {
    await publish(0, 3);
    await delivered(3);
    let go: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (go = resolve));
    let isPutting = false;
    const first = start({
      ...store,
      put: async (...args) => {
        isPutting = true;
        await slow;
        await store.put(...args);
      },
    });
    await eventually(() => isPutting, { what: 'the slow put' });
    await rig.redis.del(`${rig.installation.prefix}:log-closer:0`);
    start();
    await emptied();
    await publish(3, 5);
    go();
    await first.close();
    await emptied();
    await delivered(5);
  });

  it('does not trim what Redis has in place of lost writes', async () => {
    const { redis } = rig;
    const entries = async (count: number) =>
      eventually(async () => (await read('nobody')).items.length === count, { what: `${count} entries` });
    await publish(0, 1, 'nobody');
    await entries(1);
    const own = await redis.keys(`${keysOf(rig).shared}log:*`);
    const dumps = await Promise.all(own.map((key) => redis.dumpBuffer(key)));
    await publish(1, 2, 'nobody');
    await entries(2);
    const put = await buffered();
    await log.close('0', contentOf(put));
    // A failover: the second chunk is gone, and another one comes.
    await redis.del(...own);
    for (const [i, key] of own.entries()) await redis.restore(key, 0, dumps[i] as Buffer);
    await publish(2, 3, 'nobody');
    await entries(3);
    expect(await rig.log.trim(put.read)).toBe(false);
    start();
    await emptied();
    await entries(3);
  });

  it('while the store is away, events are delivered, the spool is bounded, each account has its gap', async () => {
    await publish(0, 1);
    await delivered(1);
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    const { failures } = start();
    await eventually(() => failures.length > 1, { what: 'failed writes' });
    const other = uniqueName('account');
    let published = 1;
    // An outcome without room is a gap of no events.
    while (!(await buffered()).gaps.some(({ events }) => events > 0)) {
      await publish(published, published + 20);
      published += 20;
      await eventually(async () => (await rig.countUndelivered()) === 0, { what: 'deliveries without the store' });
    }
    const { bytes } = await rig.log.readState();
    expect(bytes).toBeLessThan(MAX_BYTES * 0.75);
    // Half of the spool is for others.
    await publish(0, 2, other);
    await eventually(async () => contentOf(await buffered()).events.some((one) => one.account === other), {
      what: 'an event of another account',
    });
    await rm(folder);
    await rename(`${folder}-away`, folder);
    await emptied();
    const { items, gaps } = await read();
    expect(gaps.every((gap) => gap.account === account && gap.reason === 'store')).toBe(true);
    expect(gaps.reduce((sum, { events }) => sum + events, 0)).toBe(published - items.length);
    expect((await read(other)).gaps).toEqual([]);
    expect((await read(other)).items).toHaveLength(2);
    expect(receiver.requests.length).toBeGreaterThan(0);
  }, 30_000);

  it('folds an outcome that comes after the close', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    receiver.setReply(async ({ json }) => {
      await answered;
      return acknowledge(json);
    });
    await publish(0, 2);
    await eventually(async () => (await buffered()).chunks.length === 1, { what: 'the chunk' });
    start();
    await emptied();
    expect((await read()).items.map(({ outcomes: [one] }) => one?.result)).toEqual(['waiting', 'waiting']);
    answer();
    await delivered(2);
    await emptied();
    await delivered(2);
  });

  it.each([
    ['Redis has lost all', () => rig.redis.del(keysOf(rig).logState)],
    ['another api has switched it off', () => rig.log.switchOff()],
  ])('switches the log on again after %s', async (_, end) => {
    start();
    await end();
    await eventually(async () => (await rig.log.readState()).maxBytes === MAX_BYTES, { what: 'the log to be on' });
  });

  it('closes gaps while the buffer takes nothing', async () => {
    await rig.log.setFullUntil(Date.now() + 60_000);
    start();
    await publish(0, 3);
    const stored = async () =>
      (await log.search({ account }, { events: [], outcomes: [], gaps: [] }, { limit: 10 })).gaps;
    await eventually(async () => (await stored()).length > 0, { what: 'the gap in the store' });
    await eventually(async () => (await buffered()).size === 0, { what: 'no gap in Redis' });
  });

  it('shows a gap of lost writes to all accounts', async () => {
    const { redis } = rig;
    start();
    const toMs = Date.now();
    await redis.set(keysOf(rig).lostWrites, `${toMs - 5000} ${toMs}`);
    const gap = { fromMs: toMs - 5000, toMs, events: 0, reason: 'redis' } as const;
    for (const one of [account, uniqueName('account')])
      await eventually(async () => (await read(one)).gaps.length === 1, { what: 'the gap' }).then(async () =>
        expect((await read(one)).gaps).toEqual([{ account: one, ...gap }]),
      );
    // Another worker finds more of the same loss.
    await redis.set(keysOf(rig).lostWrites, `${toMs - 3000} ${toMs + 10}`);
    await eventually(async () => (await read()).gaps[0]?.toMs === toMs + 10, { what: 'the longer gap' });
    expect((await read()).gaps).toEqual([{ account, ...gap, toMs: toMs + 10 }]);
  });
});
