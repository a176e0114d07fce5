import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { RejectedEventJob } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { anOpen, eventually, uniqueName } from '@mailhook/testing';
import { publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

/** Message id of events that tests send over HTTP to see whether an account is overfull. */
const PROBE = 'probe';

describe('producers that feed Redis', () => {
  let api: ApiRig;
  let account: TestAccount;
  let connection: Redis;
  let queue: Queue;
  let rejected: Queue<RejectedEventJob>;
  const lines: string[] = [];

  beforeAll(async () => {
    api = await startApi({}, (line) => lines.push(line));
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
    rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
  });
  afterAll(async () => {
    await queue.close();
    await rejected.close();
    connection.disconnect();
    await api.close();
  });
  beforeEach(async () => {
    account = await api.newAccount();
    await api.subscribe(account, 'open');
  });

  const published = async () =>
    (await publishedEvents(api)).filter((one) => one.account === account.id && one.event['messageId'] !== PROBE);
  const finished = (id: string | undefined, state: string) =>
    eventually(async () => (await queue.getJobState(id ?? '')) === state, { what: `the job to be ${state}` });

  /** Marks the account like the engine's functions do, and waits until the api sees it (at most half a second). */
  const setOverfull = async (isSo: boolean): Promise<void> => {
    const key = `${engineKeys(api.prefix, 0, 'campaign').shared}overfull`;
    await (isSo ? connection.sadd(key, account.id) : connection.srem(key, account.id));
    const status = isSo ? 429 : 202;
    await eventually(
      async () => (await api.post(anOpen({ account: account.id, messageId: PROBE }))).status === status,
      {
        what: `HTTP to answer ${status}`,
      },
    );
  };
  const rejectedOfMine = async () =>
    (await rejected.getJobs(['waiting']))
      .map(({ data }) => data)
      .filter(({ event }) => (event as { account?: string }).account === account.id);

  it('publishes the valid events of a job and keeps the invalid ones with their errors', async () => {
    const wrong = { ...anOpen({ account: account.id }), name: 'opened' };
    const stranger = anOpen({ account: 'acc_nobody' });
    const job = await queue.add(
      uniqueName('any'),
      { events: [{ ...anOpen({ account: account.id }), colour: 'red' }, wrong, stranger, 7] },
      { attempts: 3 },
    );
    await finished(job.id, 'completed');
    expect((await published()).length).toBe(1);
    const isLogged = () => lines.some((line) => /events of email-events have unknown fields.*"colour"/.test(line));
    await eventually(isLogged, { what: 'a line that names the unknown field' });
    const kept = (await rejected.getJobs(['waiting'])).map(({ data }) => data);
    expect(kept).toEqual(
      expect.arrayContaining([
        { event: wrong, errors: [expect.objectContaining({ path: 'name' })] },
        { event: stranger, errors: [expect.objectContaining({ path: 'account' })] },
        { event: 7, errors: [expect.objectContaining({ path: '' })] },
      ]),
    );
  });

  it.each([
    ['an object without events', { nothing: 1 }, `the job's data has no "events": send {"events": [...]}`],
    ['one event', anOpen({ account: 'a' }), `the job's data is an event: send {"events": [...]}`],
    ['text', 'text', `the job's data must be {"events": [...]}, not "text"`],
    ['null', null, `the job's data must be {"events": [...]}, not null`],
    ['an array', [anOpen({ account: 'a' })], `the job's data must be {"events": [...]}, not a JSON array`],
    ['no array', { events: anOpen({ account: 'a' }) }, '"events" must be a JSON array, not a JSON object'],
    ['no events', { events: [] }, '"events" must hold 1 to 10000 events, not 0'],
    [
      'too many',
      { events: Array.from({ length: 10_001 }, () => 1) },
      '"events" must hold 1 to 10000 events, not 10001',
    ],
  ])('fails a job with %s immediately, says what to send, and continues', async (_what, data, reason) => {
    const bad = await queue.add('malformed', data, { attempts: 5, backoff: 60_000 });
    await finished(bad.id, 'failed');
    expect(await connection.hget(queue.toKey(bad.id ?? ''), 'failedReason')).toBe(reason);
    const good = await queue.add('good', { events: [anOpen({ account: account.id })] });
    await finished(good.id, 'completed');
    expect((await published()).length).toBe(1);
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  it.each([
    ['millions of values', `{"events":[${'{},'.repeat(300_000)}{}]}`, 'holds 600003 values, and at most 500000 can be'],
    ['deep nesting', `{"events":[${nested(150_000)}]}`, 'is nested more than 1000 levels deep'],
    [
      'deep nesting in little data',
      `{"events":[${nested(50_000)}]}`,
      'the job cannot be processed: Maximum call stack',
    ],
  ])('fails a job with %s with its reason, and counts it', async (_what, text, reason) => {
    const bad = await queue.add('heavy', { events: [] }, { attempts: 5, delay: 3_600_000 });
    await connection.hset(queue.toKey(bad.id ?? ''), 'data', text);
    await queue.promoteJobs();
    await finished(bad.id, 'failed');
    expect(await connection.hget(queue.toKey(bad.id ?? ''), 'failedReason')).toContain(reason);
    const { text: metrics } = await request(api.opsUrl).get('/metrics');
    expect(metrics).toMatch(/mailhook_events_rejected_total\{reason="job_too_large"\} [1-9]/);
  });

  describe('an event with bytes that are not UTF-8', () => {
    const FAULT = { path: '', message: 'is not valid UTF-8: U+FFFD stands for the wrong bytes' };

    /** Adds a job with the JSON of the events, in which each `~` is replaced by the bytes. */
    const addWithBytes = async (events: readonly object[], bytes: readonly number[], padding = '') => {
      const job = await queue.add('bytes', { events: [] }, { delay: 3_600_000 });
      const [start = '', ...rest] = JSON.stringify({ events, padding }).split('~');
      const parts = rest.flatMap((part) => [Buffer.from(bytes), Buffer.from(part)]);
      await connection.hset(queue.toKey(job.id ?? ''), 'data', Buffer.concat([Buffer.from(start), ...parts]));
      await queue.promoteJobs();
      await finished(job.id, 'completed');
      return (await queue.getJob(job.id ?? ''))?.returnvalue as unknown;
    };
    const mine = (messageId: string, more: object = {}) => ({ ...anOpen({ account: account.id, messageId }), ...more });
    const ids = async () => (await published()).map(({ event }) => event['messageId']).sort();

    it.each([
      ['a byte of Latin-1', [0xfc]],
      ['an overlong form', [0xc0, 0x80]],
      ['an encoded surrogate', [0xed, 0xa0, 0x80]],
      ['a character that is cut off', [0xe2, 0x82]],
      ['a wrong byte beside a real U+FFFD', [0xff, 0xef, 0xbf, 0xbd]],
    ])('is rejected, and the others are published: %s', async (_what, bytes) => {
      const events = [mine('one'), mine('t~o'), mine('three'), mine('real \ufffd'), mine('four', { ip: '~' })];
      const result = await addWithBytes(events, bytes);
      expect(result).toMatchObject({
        accepted: 3,
        rejected: 2,
        errors: [1, 4].map((index) => ({ index, code: 'validation_failed', detail: FAULT.message })),
      });
      expect(await ids()).toEqual(['one', 'real \ufffd', 'three']);
      expect((await rejectedOfMine()).map(({ errors }) => errors)).toEqual([[FAULT], [FAULT]]);
    });

    it('is rejected wherever they are: in unknown fields, names of fields and nested values', async () => {
      const others = [{ more: '~' }, { 'm~re': 1 }, { more: [{ deep: '~' }] }, { more: null }];
      const events = others.map((more, i) => mine(`m${i}`, more));
      expect(await addWithBytes(events, [0xfc])).toMatchObject({ accepted: 1, rejected: 3 });
      expect(await ids()).toEqual(['m3']);
    });

    it('is rejected in a job whose data is read apart, because it is large', async () => {
      const result = await addWithBytes([mine('one'), mine('t~o')], [0xfc], 'x'.repeat(300_000));
      expect(result).toMatchObject({ accepted: 1, rejected: 1 });
      expect(await ids()).toEqual(['one']);
    });

    it('beside the events changes nothing', async () => {
      expect(await addWithBytes([mine('real \ufffd')], [0xfc], '~')).toMatchObject({ accepted: 1, rejected: 0 });
    });

    it('is none if U+FFFD is sent in valid UTF-8 or as an escape', async () => {
      const job = await queue.add('bytes', { events: [] }, { delay: 3_600_000 });
      const text = JSON.stringify({ events: [mine('a \ufffd'), mine('b ~'), mine('c ~')] });
      const escaped = text.replace('~', '\\ufffd').replace('~', '\\uFfFd');
      await connection.hset(queue.toKey(job.id ?? ''), 'data', escaped);
      await queue.promoteJobs();
      await finished(job.id, 'completed');
      expect(await ids()).toEqual(['a \ufffd', 'b \ufffd', 'c \ufffd']);
    });

    it('is rejected as over HTTP if half a surrogate pair is in a text that identifies something', async () => {
      const job = await queue.add('half', { events: [mine('half \ud83d'), mine('whole \ud83d\ude00')] });
      await finished(job.id, 'completed');
      const [{ errors } = { errors: [] }] = await rejectedOfMine();
      const refused = await api.post(mine('half \ud83d'));
      expect(refused.body).toMatchObject({ errors });
      expect(errors).toMatchObject([{ path: 'messageId' }]);
      expect(await ids()).toEqual(['whole \ud83d\ude00']);
    });
  });

  it('publishes a job that runs twice only once, and keeps its rejected events once', async () => {
    const data = { events: [anOpen({ account: account.id }), { broken: uniqueName('twice') }] };
    const opts = { jobId: uniqueName('job'), timestamp: 1_700_000_000_000, removeOnComplete: true };
    for (let run = 0; run < 2; run += 1) {
      await queue.add('same', data, opts);
      await eventually(async () => (await queue.getJob(opts.jobId)) === undefined, { what: 'the job to be done' });
    }
    expect((await published()).length).toBe(1);
    const kept = (await rejected.getJobs(['waiting'])).filter((job) =>
      JSON.stringify(job.data).includes(String(data.events[1]!['broken' as never])),
    );
    expect(kept).toHaveLength(1);
  });

  it('rejects nothing from a published job that runs again while its account is overfull', async () => {
    const data = { events: [anOpen({ account: account.id })] };
    const opts = { jobId: uniqueName('job'), timestamp: 1_700_000_000_000, removeOnComplete: true };
    const run = async (): Promise<void> => {
      await queue.add('same', data, opts);
      await eventually(async () => (await queue.getJob(opts.jobId)) === undefined, { what: 'the job to be done' });
    };
    await run();
    await setOverfull(true);
    await run();
    expect((await published()).length).toBe(1);
    expect(await rejectedOfMine()).toEqual([]);
  });

  it('moves the events of an overfull account to a separate job, and rejects them with the reason', async () => {
    await setOverfull(true);
    const other = await api.newAccount();
    await api.subscribe(other, 'open');
    const mine = { ...anOpen({ account: account.id }), unheardOf: true };
    const job = await queue.add('mixed', { events: [mine, anOpen({ account: other.id })] });
    await finished(job.id, 'completed');
    expect((await queue.getJob(job.id!))?.returnvalue).toMatchObject({
      accepted: 1,
      rejected: 0,
      moved: 1,
    });
    await eventually(async () => (await rejectedOfMine()).length === 1, { what: 'the rejected event' });
    expect(await rejectedOfMine()).toMatchObject([{ errors: [{ path: 'account' }] }]);
    expect(await published()).toEqual([]);
    expect((await publishedEvents(api)).filter((one) => one.account === other.id)).toHaveLength(1);
  });
});
