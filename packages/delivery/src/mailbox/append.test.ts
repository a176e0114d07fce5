import { JOB_ENDED, JobGate, openWatchedWorker, queueKeys } from '@mailhook/platform/queue';
import { eventually, uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { readAccountSums } from './accounts.ts';
import { SHARES_PER_CALL } from './commands/publish.ts';
import { READY } from './constants.ts';
import { delivered, entry, firstOf, HOUR_MS, LIMITS, newRecord, scriptsRig } from './mailbox-rig.suite.ts';

describe('append', () => {
  const rig = scriptsRig('transactional');
  const one = () => entry('msg_e1\n{}');

  beforeEach(() => rig.save(true, 1));

  it('appends all groups again after an append that failed at one of them', async () => {
    await rig.commands.saveDestination('e', newRecord());
    await rig.redis.hset(`${rig.base}job`, 'name', 'chunk');
    // Too large for the state.
    const large = entry(`msg_e1\n${'x'.repeat(600)}`);
    const append = (progress: string) =>
      rig.commands.append({
        worker: 'w',
        firstClaim: 1,
        room: { proven: 0, others: 0 },
        jobKey: `${rig.base}job`,
        progress,
        slice: 1,
        limits: LIMITS,
        groups: ['d', 'e'].map((destination) => ({
          destination,
          account: 'account',
          lane: 'f' as const,
          events: 1,
          entries: [large],
        })),
      });
    for (const progress of ['', 'c1']) {
      await rig.redis.set(`${rig.base}f:e`, 'no list');
      await expect(append(progress)).rejects.toThrow(/WRONGTYPE/);
      await rig.redis.del(`${rig.base}f:e`);
      await expect(append(progress)).resolves.toMatchObject({ replies: [] });
      expect(await rig.redis.llen(`${rig.base}f:e`)).toBe(1);
      await expect(append(progress)).resolves.toBe('again');
    }
  });

  describe('of the last slice of a job', () => {
    const job = () => `${rig.base}jobs:c1`;
    const shares = [{ account: 'account', events: 1, bytes: 20 }];
    const queued = async () => (await readAccountSums(rig.redis, rig.keys, 'account')).queuedEvents;
    const append = (progress = '') =>
      rig.commands.append({
        worker: 'w',
        firstClaim: 1,
        room: { proven: 0, others: 0 },
        jobKey: job(),
        progress,
        slice: 2,
        end: { id: 'c1', shares, log: undefined },
        limits: LIMITS,
        groups: [{ destination: 'd', account: 'account', lane: 'f', events: 1, entries: [one()] }],
      });
    const left = () => rig.redis.keys(`${rig.base}jobs:*`);
    beforeEach(async () => {
      await rig.redis.hset(job(), 'name', 'chunk');
      await rig.redis.set(`${job()}:lock`, 'token');
      await rig.commands.queued(shares);
    });

    it('removes an active job with its lock, also one that has stalled', async () => {
      await rig.redis.lpush(`${rig.base}jobs:active`, 'c1');
      await rig.redis.sadd(`${rig.base}jobs:stalled`, 'c1');
      expect(await append()).toMatchObject({ dropped: 0 });
      expect([await left(), await queued()]).toEqual([[], 0]);
      expect(await append()).toBe('gone');
      expect((await rig.mailbox()).state.fresh).toBe(1);
    });

    it('leaves a job that waits for another run, which then ends it without a second append', async () => {
      await rig.redis.lpush(`${rig.base}jobs:wait`, 'c1');
      expect(await append()).toMatchObject({ dropped: 0 });
      expect(await queued()).toBe(1);
      await rig.redis.rpoplpush(`${rig.base}jobs:wait`, `${rig.base}jobs:active`);
      expect(await append()).toBe('again');
      expect([await left(), await queued()]).toEqual([[], 0]);
      expect((await rig.mailbox()).state.fresh).toBe(1);
    });

    it('counts no more for any account, however many the job has', async () => {
      const many = Array.from({ length: 2 * SHARES_PER_CALL + 1 }, (_, i) => ({
        account: `a${i}`,
        events: 1,
        bytes: 20,
      }));
      await rig.commands.queued(many);
      await rig.redis.lpush(`${rig.base}jobs:active`, 'c1');
      for (let run = 1; run <= 2; run += 1)
        await rig.commands.endChunk(job(), { id: 'c1', shares: [...many, ...shares], log: undefined });
      expect([await left(), await rig.redis.hkeys(rig.keys.sums)]).toEqual([[], []]);
    });

    it('leaves what BullMQ leaves when it ends a job', async () => {
      const keysAfter = async (end: (jobKey: string, id: string) => Promise<unknown>): Promise<string[]> => {
        const queue = new Queue(uniqueName('queue'), { connection: rig.redis });
        const watched = openWatchedWorker({
          queue: queue.name,
          connection: rig.redis,
          concurrency: 1,
          process: ({ id = '' }) => end(queue.toKey(id), id),
          admission: { gate: new JobGate({ bytes: 1000, waiting: 1 }) },
          onError: () => undefined,
        });
        const { id = '' } = await queue.add('chunk', {}, { removeOnComplete: true });
        await eventually(async () => (await rig.redis.exists(queue.toKey(id))) === 0, { what: 'the end of the job' });
        await watched.close();
        await queue.close();
        const keys = await rig.redis.keys(`${queue.toKey('')}*`);
        // Signals for workers, whatever the job.
        const { marker, stalledCheck } = queueKeys(queue.toKey(''));
        const left = keys.filter((key) => key !== marker && key !== stalledCheck);
        return left.map((key) => key.slice(queue.toKey('').length)).sort();
      };
      const byBullmq = await keysAfter(() => Promise.resolve());
      const byAppend = await keysAfter(async (jobKey, endedJob) => {
        const groups = [{ destination: 'd', account: 'account', lane: 'f' as const, events: 1, entries: [one()] }];
        const room = { proven: 0, others: 0 };
        const slice = {
          worker: 'w',
          firstClaim: 1,
          room,
          jobKey,
          progress: '',
          slice: 1,
          end: { id: endedJob, shares: [], log: undefined },
          limits: LIMITS,
          groups,
        };
        expect(await rig.commands.append(slice)).toMatchObject({ dropped: 0 });
        throw JOB_ENDED;
      });
      expect(byAppend).toEqual(byBullmq);
    });

    it('keeps the progress of a job that may be added again', async () => {
      await rig.redis.lpush(`${rig.base}jobs:active`, 'c1');
      expect(await append('c1')).toMatchObject({ dropped: 0 });
      await rig.redis.hset(job(), 'name', 'chunk');
      expect(await append('c1')).toBe('again');
    });
  });

  it('only adds the events of a destination that has an owner or is on a ready list', async () => {
    const counted = async () => (await rig.mailbox()).state.fresh;
    expect(await rig.append([one()])).toMatchObject({ replies: [], mine: [] });
    expect(await rig.append([one(), one()], { room: 1 })).toMatchObject({ replies: [], mine: [] });
    expect([await counted(), await rig.redis.llen(`${rig.base}ready`)]).toEqual([3, 1]);
    await rig.take('w');
    const before = await counted();
    expect(await rig.append([one()], { room: 1, claim: 2 })).toMatchObject({ replies: [], mine: ['d'] });
    expect(await rig.append([one()], { room: 1, worker: 'another' })).toMatchObject({ replies: [], mine: [] });
    expect(await counted()).toBe(before + 2);
    await rig.save(false, 2);
    expect(await rig.append([one()])).toMatchObject({ dropped: 0, mine: ['d'] });
    await rig.commands.removeDestination('d', 'account');
    expect(await rig.append([one()])).toMatchObject({ dropped: 1, mine: [] });
    expect(await counted()).toBe(before + 3);
  });

  it('notes since when a mailbox holds events that was on a ready list without any', async () => {
    const since = async () => (await rig.mailbox()).state.holdsEventsSinceMs;
    await rig.commands.pause('d', Date.now() + HOUR_MS);
    await rig.commands.resume('d');
    expect([(await rig.mailbox()).state.status, await since()]).toEqual([READY, 0]);
    const nowMs = await rig.commands.nowMs();
    await rig.append([one()]);
    expect(await since()).toBeGreaterThanOrEqual(nowMs);
  });

  it('to a parked destination is followed by its wake-up in time, although an earlier wake-up came early', async () => {
    const { token, batch } = firstOf((await rig.append([one()], { room: 1 })).replies);
    const breaker = { failures: 5, parkMs: 900, leftMs: 900, error: 'no' };
    const settles = [{ ...delivered(batch?.id ?? ''), delivered: 1 }];
    expect((await rig.next(token, { settles, learned: { breaker } })).status).toBe('parked');
    expect(await rig.commands.wake('d')).toBe(false);
    await rig.append([one()]);
    const isReady = async () => (await rig.commands.heartbeat('w', 60_000, 500)).waiting.others === 1;
    await eventually(isReady, { what: 'the ready list' });
  });

  describe('to a destination that was deleted before it had a record', () => {
    const append = (room: number) =>
      rig.commands.append({
        worker: 'w',
        firstClaim: 1,
        room: { proven: room, others: room },
        jobKey: '',
        progress: `c${room}`,
        slice: 1,
        limits: LIMITS,
        groups: [{ destination: 'u', account: 'account', lane: 'f', events: 1, entries: [one()] }],
      });
    const remove = () => rig.commands.removeDestination('u', 'account');

    it('drops later events, also with room', async () => {
      await remove();
      expect(await append(0)).toMatchObject({ dropped: 1 });
      expect(await append(1)).toMatchObject({ replies: [], dropped: 1 });
      expect(await rig.redis.zscore(`${rig.base}deleted`, 'u')).not.toBeNull();
    });

    it('lets a worker delete earlier events, and the sums of the account end', async () => {
      expect(await append(0)).toMatchObject({ dropped: 0 });
      await remove();
      expect(await append(1)).toMatchObject({ replies: [], dropped: 1 });
      const [taken] = (await rig.take('w')).replies;
      expect(taken?.status).toBe('give up');
      const step = { destination: 'u', token: taken?.state.owner ?? '', idPrefix: 'p-', reason: '' };
      expect(await rig.commands.giveUpStep(step)).toMatchObject({ dropped: 1, account: 'account' });
      expect(await rig.redis.hget(rig.keys.sums, 'account')).toBeNull();
      expect(await rig.redis.exists(`${rig.base}f:u`)).toBe(0);
    });
  });

  describe('to a lane that is not as its state says', () => {
    const large = (id: string) => entry(`msg_${id}\n${'x'.repeat(600)}`);
    const violations = async () => (await rig.commands.heartbeat('w', HOUR_MS, 500)).violations;

    it('counts entries of half an append, so that they are sent, and tells', async () => {
      await rig.redis.rpush(`${rig.base}f:d`, large('half'));
      await rig.append([large('whole')]);
      expect((await rig.mailbox()).state.fresh).toBe(2);
      expect((await readAccountSums(rig.redis, rig.keys, 'account')).events).toBe(2);
      const { token, batch } = firstOf((await rig.take('w')).replies);
      expect(batch?.fragments).toContain('half');
      const next = await rig.next(token, { settles: [delivered(batch?.id ?? '')] });
      expect(next.batches[0]?.fragments).toContain('whole');
      expect(await violations()).toEqual([{ what: 'extra-entries', name: 'd' }]);
      expect(await violations()).toEqual([]);
    });

    it.each([
      ['that are in flight', (token: string) => rig.next(token, { isLost: true })],
      ['that are new', (token: string, id: string) => rig.next(token, { settles: [delivered(id)] })],
    ])('tells of entries that are gone, %s, and counts them no more', async (_, step) => {
      const { token, batch } = firstOf((await rig.append([large('gone')], { room: 1 })).replies);
      await rig.append([large('gone too')]);
      await rig.redis.del(`${rig.base}f:d`);
      await step(token, batch?.id ?? '');
      expect((await rig.mailbox()).state).toMatchObject({ owner: '', fresh: 0 });
      expect((await readAccountSums(rig.redis, rig.keys, 'account')).events).toBe(0);
      expect(new Set((await violations()).map(({ what }) => what))).toEqual(new Set(['missing-entries']));
    });

    it('tells when a sum would be negative', async () => {
      const { token, batch } = firstOf((await rig.append([large('one')], { room: 1 })).replies);
      await rig.redis.hdel(rig.keys.sums, 'account');
      await rig.next(token, { settles: [delivered(batch?.id ?? '')] });
      expect(await violations()).toEqual([{ what: 'negative-sum', name: 'account' }]);
    });
  });
});
