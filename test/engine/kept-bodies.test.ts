import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { createAttemptRecorder, createEraseEvents, createEraseRecords, Installation } from '@mailhook/delivery';
import type { AttemptRecord, EventsToErase } from '@mailhook/delivery';
import { createAccountUsages, createAttemptLog } from '@mailhook/insight';
import {
  aCampaignEvent,
  aClick,
  acknowledge,
  eventually,
  startReceiver,
  startRedis,
  uniqueName,
} from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;

describe('the bodies of delivered requests', () => {
  let receiver: FakeReceiver;
  let rig: Rig;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const keysOf = (account: string) => rig.redis.keys(`{${rig.queuePrefix}:0}:bodies:${account}:*`);
  const attempted = (account: string, count = 1) =>
    eventually(
      async () => {
        const { items } = await rig.attemptLog.list(account, { limit: 10 });
        return items.length === count && items;
      },
      { what: `${count} attempts` },
    );
  const erase = (account: string, wanted: EventsToErase) =>
    createEraseEvents(
      rig.installation,
      rig.deadLetters,
    )({
      account,
      wanted,
      destinations: [],
      onErased: () => Promise.resolve(),
      signal: new AbortController().signal,
    });

  test.each(['campaign', 'transactional'] as const)('of %s events are kept as they were sent', async (kind) => {
    rig = await startRig({ kind, bodiesKeptMs: 2 * HOUR_MS });
    await rig.startWorker();
    const account = uniqueName('account');
    const event = kind === 'campaign' ? aCampaignEvent() : aClick();
    await rig.publish([event], await rig.destination(account, receiver.url));
    const [attempt] = await attempted(account);
    expect(attempt && (await rig.attemptLog.readBody(account, attempt))).toBe(receiver.requests[0]?.text);
    const [key = ''] = await keysOf(account);
    const lifetimeS = await rig.redis.ttl(key);
    expect(lifetimeS).toBeGreaterThan(3600 - 60);
    expect(lifetimeS).toBeLessThanOrEqual(7200);
    await createEraseRecords(rig.installation)(account, Date.now());
    expect(await keysOf(account)).toEqual([]);
  });

  test('are kept of partly confirmed batches, and not by default', async () => {
    rig = await startRig({ kind: 'campaign', scheduleMs: [HOUR_MS], bodiesKeptMs: 2 * HOUR_MS });
    await rig.startWorker();
    receiver.setReply(({ json }) => acknowledge(json, (_event, i) => i === 0));
    const account = uniqueName('account');
    await rig.publish([aCampaignEvent(), aCampaignEvent()], await rig.destination(account, receiver.url));
    const [attempt] = await attempted(account);
    expect(attempt?.status).toBe('failed');
    expect(attempt && (await rig.attemptLog.readBody(account, attempt))).toBe(receiver.requests[0]?.text);
    await rig.close();

    rig = await startRig({ kind: 'campaign' });
    await rig.startWorker();
    await rig.publish([aCampaignEvent()], await rig.destination(account, receiver.url));
    await attempted(account);
    expect(await keysOf(account)).toEqual([]);
  });

  test('are erased with the events of a recipient, and no others are', async () => {
    rig = await startRig({ kind: 'campaign', bodiesKeptMs: 24 * HOUR_MS });
    await rig.startWorker();
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    const emails = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
    for (const [i, email] of emails.entries()) {
      await rig.publish([aCampaignEvent({ email })], destination);
      await attempted(account, i + 1);
    }
    expect(await erase(account, { email: 'ANNA@example.com' })).toMatchObject({ isDisturbed: true });
    expect(await erase(account, { email: 'anna@example.com' })).toMatchObject({ isDisturbed: false });
    const [key = ''] = await keysOf(account);
    const left = (await rig.redis.lrange(key, 0, -1)).join('\n');
    expect(emails.filter((email) => left.includes(email))).toEqual(['bob@example.com', 'carl@example.com']);
  });
});

describe('the cost of kept bodies', () => {
  const record = (id: string, account: string): AttemptRecord => ({
    id,
    account,
    time: new Date().toISOString(),
    kind: 'campaign',
    shape: 'batch',
    destination: 'campaign',
    status: 'delivered',
    address: 'http://127.0.0.1:9/',
    eventKeys: ['k'],
    events: 1,
    attempt: 1,
    durationMs: 1,
  });

  test('is no further call to Redis, and 2 MB per account and hour, of the newest', async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    const installation = new Installation(redis, 'cost', 1);
    const onError = (error: Error): never => {
      throw error;
    };
    try {
      for (const bodiesKeptMs of [undefined, 24 * HOUR_MS]) {
        const first = createAttemptRecorder(installation, { bodiesKeptMs, onError });
        first.record(record('a-0', 'acc'), 'x');
        await first.close();
        await redis.config('RESETSTAT');
        const recorder = createAttemptRecorder(installation, { bodiesKeptMs, onError });
        for (let i = 0; i < 10; i += 1)
          recorder.record(record(`a-${i}`, 'acc'), randomBytes(75_000).toString('base64'));
        await recorder.close();
        expect(await redis.info('commandstats')).toMatch(/cmdstat_fcall:calls=1,/);
      }
      for (let flush = 0; flush < 5; flush += 1) {
        const recorder = createAttemptRecorder(installation, { bodiesKeptMs: 24 * HOUR_MS, onError });
        for (let i = 0; i < 10; i += 1)
          recorder.record(record(`b-${flush}-${i}`, 'acc'), randomBytes(75_000).toString('base64'));
        await recorder.close();
      }
      const [key = ''] = await redis.keys('{cost:0}:bodies:acc:*');
      expect(await redis.memory('USAGE', key, 'SAMPLES', 0)).toBeLessThan(2_200_000);
      const log = createAttemptLog(installation);
      expect((await log.readBody('acc', record('b-4-9', 'acc')))?.length).toBeGreaterThan(100_000);
      expect((await log.readBody('acc', record('a-0', 'acc')))?.length).toBeUndefined();
      const counted = await createAccountUsages(installation).readKeptBodies('acc');
      expect(counted).toBeGreaterThan(1_000_000);
      expect(counted).toBeLessThan(2_200_000);
      expect(await createAccountUsages(installation).readKeptBodies('other')).toBe(0);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  test('ends before intake refuses events because Redis nears its memory limit', async () => {
    const server = await startRedis();
    try {
      for (const [usedShare, isKept] of [
        [0.7, true],
        [0.85, false],
      ] as const) {
        // The reading of a connection is up to half a second old.
        const redis = new Redis(server.url);
        const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
        await redis.config('SET', 'maxmemory', String(Math.round(used / usedShare)));
        const installation = new Installation(redis, uniqueName('short'), 1);
        const fail = (error: Error): never => {
          throw error;
        };
        const recorder = createAttemptRecorder(installation, { bodiesKeptMs: 24 * HOUR_MS, onError: fail });
        recorder.record(record('a', 'acc'), 'the body');
        await recorder.close();
        const log = createAttemptLog(installation);
        expect((await log.list('acc', { limit: 1 })).items).toHaveLength(1);
        expect((await log.readBody('acc', record('a', 'acc'))) !== undefined).toBe(isKept);
        redis.disconnect();
      }
    } finally {
      await server.stop();
    }
  });
});
