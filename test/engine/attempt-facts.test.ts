import { PassThrough } from 'node:stream';
import { createReadHeldEvents } from '@mailhook/insight';
import type { KeptAttempt } from '@mailhook/insight';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import {
  aCampaignEvent,
  aClick,
  acknowledge,
  eventually,
  goodReply,
  startReceiver,
  uniqueName,
} from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

const PATIENT = { scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 } as const;

describe('what the log keeps of a request and its reply', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  const begin = async (options: RigOptions): Promise<void> => {
    rig = await startRig(options);
    await rig.startWorker();
  };
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  /** The newest attempt as its row has it. */
  const newest = (account: string, attempts = 1): Promise<KeptAttempt> =>
    eventually(
      async () => {
        const { items } = await rig.attemptLog.list(account, { limit: 10 });
        return (items.length === attempts && (await rig.attemptLog.read(account, items[0]?.id ?? ''))) || false;
      },
      { what: `${attempts} attempts` },
    );
  const held = (account: string, kept: KeptAttempt) => createReadHeldEvents(rig.installation)(account, kept);

  test('a failed batch: its request, its reply, and its events in a resend, then in a dead letter', async () => {
    const log: string[] = [];
    const logStream = new PassThrough().on('data', (chunk: Buffer) => log.push(chunk.toString()));
    await begin({ kind: 'campaign', ...PATIENT, logStream, logLevel: 'debug' });
    receiver.setReply(() => ({
      status: 500,
      headers: { 'content-type': 'text/html', server: 'x'.repeat(8000) },
      body: `<b>anna@example.com</b>\x1b[2J${'ä'.repeat(1000)}`,
    }));
    const account = uniqueName('account');
    const secrets = ['whsec_c2VjcmV0LW51bWJlci1vbmU=', 'whsec_c2VjcmV0LW51bWJlci10d28='].map((secret) =>
      createSealing([]).seal(secret, { account, field: SIGNING_SECRET }),
    );
    const destination = await rig.destination(account, receiver.url, { secrets });
    const hashes = Array.from({ length: 30 }, (_, i) => `hash-number-${i}`);
    await rig.publish(
      hashes.map((hash) => aCampaignEvent({ hash })),
      destination,
    );
    const kept = await newest(account);
    const [request] = receiver.requests;
    expect(kept.facts).toEqual({
      request: {
        at: Number(request?.headers['webhook-timestamp']),
        bytes: Number(request?.headers['content-length']),
        signatures: 2,
        by: expect.any(String) as string,
      },
      reply: {
        status: 500,
        headers: { 'content-type': 'text/html', server: 'x'.repeat(200) },
        // 512 bytes: 27 of ASCII, and whole characters of two bytes.
        body: `<b>anna@example.com</b>\\x1b[2J${'ä'.repeat(242)}`,
        isBodyWhole: false,
      },
      eventKeys: hashes,
    });
    expect(await held(account, kept)).toMatchObject({ state: 'resend', payloads: hashes.map((hash) => ({ hash })) });

    await rig.registry.save({ ...destination, active: false, version: 2 });
    const dead = await eventually(
      async () => {
        const found = await held(account, kept);
        return found?.state === 'dead' && found;
      },
      { what: 'a dead letter' },
    );
    expect((dead as { payloads: unknown[] }).payloads).toHaveLength(30);
    expect(await rig.deadLetters.read(account, (dead as { deadLetter: string }).deadLetter)).toBeDefined();

    expect(JSON.stringify((await rig.attemptLog.list(account, { limit: 10 })).items)).not.toContain('<b>');
    expect(await rig.attemptLog.read(uniqueName('stranger'), kept.attempt.id)).toBeUndefined();
    expect(log.join('')).toContain('delivery attempt');
    for (const secret of ['<b>', 'anna@', 'hash-number']) expect(log.join('')).not.toContain(secret);
  });

  /** Adds resends beyond the number that is searched. They have no records, so they are only in the way. */
  const addResends = async (destination: string): Promise<void> => {
    const ids = Array.from({ length: 30_000 }, (_, i) => `other-${i}`);
    await rig.redis.sadd(`${rig.base}xs:${destination}`, ...ids);
  };

  test.each(['campaign', 'transactional'] as const)(
    'a failed attempt of a %s destination with 30,000 resends: its events, as long as they wait',
    async (kind) => {
      await begin({ kind, ...PATIENT });
      receiver.setReply(() => ({ status: 500 }));
      const account = uniqueName('account');
      const destination = await rig.destination(account, receiver.url);
      await rig.publish(kind === 'campaign' ? [aCampaignEvent(), aCampaignEvent()] : [aClick()], destination);
      const kept = await newest(account);
      await addResends(destination.id);
      expect(await held(account, kept)).toMatchObject({
        state: 'resend',
        payloads: kind === 'campaign' ? [{}, {}] : [{}],
      });
      const [batch = ''] = await rig.redis.zrange(`${rig.base}due`, '0', '0');
      await rig.redis.del(`${rig.base}x:${batch}`);
      await rig.redis.srem(`${rig.base}xs:${destination.id}`, batch);
      // Events of a batch may be in a resend with another id. A request of one event always keeps its id.
      const unknown = { state: 'unknown', payloads: [] };
      expect(await held(account, kept)).toEqual(kind === 'campaign' ? unknown : undefined);
    },
  );

  test('a partly acknowledged batch: the events that were not confirmed', async () => {
    await begin({ kind: 'campaign', ...PATIENT });
    receiver.setReply(({ json }) => acknowledge(json, (_event, i) => i !== 2));
    const account = uniqueName('account');
    const events = ['first-hash', 'second-hash', 'third-hash'].map((hash) => aCampaignEvent({ hash }));
    await rig.publish(events, await rig.destination(account, receiver.url));
    const kept = await newest(account);
    expect(kept.facts).toMatchObject({
      // The one that was not confirmed first.
      eventKeys: ['third-hash', 'first-hash', 'second-hash'],
      reply: { status: 200, isBodyWhole: true },
    });
    expect(kept.facts?.reply?.body).toContain('"hash":"third-hash","status":false');
    expect(await held(account, kept)).toMatchObject({ state: 'resend', payloads: [{ hash: 'third-hash' }] });
  });

  test('a notification, delivered at last: the request of the successful attempt, and not its reply', async () => {
    await begin({ kind: 'transactional', scheduleMs: [20] });
    let requests = 0;
    receiver.setReply((request) =>
      (requests += 1) === 1 ? { redirect: 'http://127.0.0.1:9/new' } : goodReply(request),
    );
    const account = uniqueName('sub');
    await rig.publish([aClick({ messageId: 'm-1' })], await rig.destination(account, receiver.url));
    const delivered = await newest(account, 2);
    expect(delivered.attempt.status).toBe('delivered');
    const [, second] = receiver.requests;
    expect(delivered.facts).toEqual({
      request: {
        at: Number(second?.headers['webhook-timestamp']),
        bytes: Number(second?.headers['content-length']),
        signatures: 0,
        by: expect.any(String) as string,
      },
      eventKeys: ['m-1'],
    });
    const { items } = await rig.attemptLog.list(account, { limit: 10 });
    const failed = (await rig.attemptLog.read(account, items[1]?.id ?? '')) as KeptAttempt;
    expect(failed.facts).toMatchObject({
      request: { signatures: 0 },
      reply: { status: 302, headers: { location: 'http://127.0.0.1:9/new' }, body: '', isBodyWhole: true },
      eventKeys: ['m-1'],
    });
    expect(await held(account, failed)).toBeUndefined();
  });

  test('a kept connection that the receiver has closed: one attempt, whose request left twice', async () => {
    await begin({ kind: 'transactional', ...PATIENT });
    let requests = 0;
    receiver.setReply((request) => ((requests += 1) === 2 ? { reset: 'reply' } : goodReply(request)));
    const account = uniqueName('sub');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish([aClick({ messageId: 'm-1' })], destination);
    expect((await newest(account)).facts?.request).not.toHaveProperty('isRepeated');
    await rig.publish([aClick({ messageId: 'm-2' })], destination);
    const kept = await newest(account, 2);
    expect(kept.attempt).toMatchObject({ status: 'delivered', attempt: 1 });
    expect(kept.facts).toMatchObject({ request: { isRepeated: true }, eventKeys: ['m-2'] });
    const [, first, second] = receiver.requests;
    expect(second).toMatchObject({ text: first?.text, headers: first?.headers });
    expect(receiver.connections.total).toBe(2);
  });

  test('a large batch: every hash if it failed, and the first 20 once it is delivered', async () => {
    await begin({ kind: 'campaign', scheduleMs: [20] });
    let requests = 0;
    receiver.setReply((request) => ((requests += 1) === 1 ? { status: 500 } : goodReply(request)));
    const account = uniqueName('account');
    const hashes = Array.from({ length: 1000 }, (_, i) => `hash-number-${i}`);
    await rig.publish(
      hashes.map((hash) => aCampaignEvent({ hash })),
      await rig.destination(account, receiver.url),
    );
    const delivered = await newest(account, 2);
    expect(delivered.facts?.eventKeys).toEqual(hashes.slice(0, 20));
    const { items } = await rig.attemptLog.list(account, { limit: 10 });
    const failed = await rig.attemptLog.read(account, items[1]?.id ?? '');
    expect(failed?.facts?.eventKeys).toEqual(hashes);
  });

  test('REPLY_EXCERPT_BYTES=0 keeps nothing of the reply', async () => {
    await begin({ kind: 'transactional', ...PATIENT, replyExcerptBytes: 0 });
    receiver.setReply(() => ({ status: 500, body: 'secret' }));
    const account = uniqueName('sub');
    await rig.publish([aClick()], await rig.destination(account, receiver.url));
    const kept = await newest(account);
    expect(kept.attempt.httpStatus).toBe(500);
    expect(kept.facts).toMatchObject({ request: { signatures: 0 } });
    expect(kept.facts).not.toHaveProperty('reply');
  });

  test('neither request nor reply for an address that the egress guard refuses', async () => {
    await begin({ kind: 'transactional', ...PATIENT, allowCidrs: [] });
    const account = uniqueName('sub');
    await rig.publish([aClick({ messageId: 'm-2' })], await rig.destination(account, receiver.url));
    const kept = await newest(account);
    expect(kept.attempt.error?.code).toBe('blocked');
    expect(kept.facts).toEqual({ eventKeys: ['m-2'] });
    expect(receiver.requests).toEqual([]);
  });
});
