import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mechanism } from '@mailhook/core';
import {
  DEACTIVATIONS_QUEUE,
  engineQueues,
  formatCredentials,
  limitsOf,
  sizeLimitText,
  version1Route,
} from '@mailhook/core';
import { createDestinationControl } from '@mailhook/delivery';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, anOpen, eventually, goodReply, startReceiver, uniqueName } from '@mailhook/testing';
import { searchText } from '../../packages/core/src/domain/halving.ts';
import { SLICE_MAX } from '../../packages/delivery/src/deliver/limits.ts';
import { FORMAT, OWNED, READY } from '../../packages/delivery/src/mailbox/constants.ts';
import { engineKeys } from '../../packages/delivery/src/mailbox/keys.ts';
import { readMailbox } from '../../packages/delivery/src/mailbox/records.ts';
import { ChunkBuilder } from '../../packages/delivery/src/publish/chunk.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { jobsIn, keysOf, withoutRandomParts } from './stored-format.suite.ts';

/**
 * One file per number of the format. The file of today's number must stay as it is: a change of it needs a new number
 * (see "A change of a stored format" in CONTRIBUTING.md).
 */
const SNAPSHOT = path.join(__dirname, 'stored-formats', `${FORMAT}.json`);
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const HOUR_MS = 3_600_000;

/** The examples of types of events may change without a change of the format. */
const FIXED = { time: 1_700_000_000, ip: '192.0.2.7' };
const openedBy = (name: string, more: object = {}) =>
  aCampaignEvent({ timestamp: FIXED.time, email: `${name}@example.com`, hash: name, ...more });
const leftBy = (name: string) => openedBy(name, { event: 'unsubscribe' });

const seal = (text: string, field: string) => createSealing([]).seal(text, { account: 'delivered', field });

/** Texts that a receiver's replies bring about. */
const TEXTS = {
  search: searchText({ phase: 'halve', from: 0, events: 3, requests: 57, suspects: 5 }),
  sizeLimit: sizeLimitText({ maxBytes: 2000, sinceMs: 5 }),
  credentials: formatCredentials({
    secrets: ['whsec_a'],
    headers: { authorization: 'x' },
    limits: limitsOf({ maxRequestsPerSecond: 5 }),
  }),
  sharedChunk: sharedChunk(),
  /** A chunk notes its progress in slices of at most this size. */
  sliceMax: SLICE_MAX,
};

function sharedChunk() {
  const builder = new ChunkBuilder('c1', () => 'digest', { isShared: true });
  builder.add(
    {
      event: anOpen({ ...FIXED, messageId: 'm', account: 'shared' }),
      destinations: ['sub1', 'sub2'].map(version1Route),
    },
    TRACE,
  );
  return builder.build(1);
}

describe('what Redis holds', () => {
  let campaign: Rig;
  let transactional: Rig;
  let receiver: FakeReceiver;
  const rigOf = (kind: Mechanism) => (kind === 'campaign' ? campaign : transactional);
  const release: (() => void)[] = [];

  beforeAll(async () => {
    const queuePrefix = uniqueName('format');
    const common = { queuePrefix, scheduleMs: [HOUR_MS], breakerFailures: 1, parkMaxMs: HOUR_MS, replyExcerptBytes: 0 };
    campaign = await startRig({ kind: 'campaign', ...common });
    transactional = await startRig({ kind: 'transactional', ...common });
    receiver = await startReceiver();
    receiver.setReply(async (request) => {
      const { path: account } = request;
      if (account.includes('flying')) await new Promise<void>((resolve) => release.push(resolve));
      if (account.includes('failed')) return { status: 500, body: '' };
      if (account.includes('gone')) return { status: 410, body: '' };
      return goodReply(request);
    });
  });
  afterAll(async () => {
    for (const reply of release) reply();
    await Promise.all([campaign.close(), transactional.close()]);
    await receiver.close();
  });

  const destination = (kind: Mechanism, account: string, more: object = {}) =>
    rigOf(kind).destination(account, `${receiver.url}/${account}`, more);
  const dead = (account: string) =>
    eventually(async () => (await campaign.deadLetters.list({ account }, { limit: 10 })).items.length === 1, {
      what: `the dead letter of ${account}`,
    });
  const attempted = (account: string) =>
    eventually(() => [...campaign.attempts, ...transactional.attempts].some((attempt) => attempt.account === account), {
      what: `the attempt for ${account}`,
    });

  /** The job of the destination of an account. */
  const jobOf = (account: string, queue: string, prefix?: string) =>
    eventually(
      async () =>
        (await jobsIn(campaign, queue, prefix)).find(({ data }) => data['destination'] === `campaign-${account}`),
      { what: `a job of ${account} in ${queue}` },
    );

  /** Waits until only the destination with a request in flight has an owner, and the logs are written. */
  async function isSettled(): Promise<void> {
    const { redis, queuePrefix, base } = campaign;
    const others = ['failed', 'gone', 'given-up', 'waiting'].map((account) => `campaign-${account}`);
    const isLeft = async (kind: Mechanism, destination: string) => {
      const { state } = await readMailbox(redis, engineKeys(queuePrefix, 0, kind), destination);
      return state.status !== OWNED && state.status !== READY;
    };
    const isLogged = async (account: string) =>
      (await redis.keys(`{${queuePrefix}:0}:attempts:${account}:*`)).length === 1 &&
      (await redis.keys(`{${queuePrefix}:0}:history:${account}:*`)).length === 2;
    const areAll = async (checks: readonly Promise<boolean>[]) => (await Promise.all(checks)).every(Boolean);
    await eventually(
      async () =>
        (await areAll(others.map((one) => isLeft('campaign', one)))) &&
        (await isLeft('transactional', 'delivered')) &&
        (await areAll(['delivered', 'failed', 'gone'].map(isLogged))) &&
        (await redis.exists(`${base}gone`)) === 0,
      { what: 'the end of every step' },
    );
  }

  test('equals the snapshot of the number of its format', async () => {
    const { redis, queuePrefix } = campaign;
    const keys = engineKeys(queuePrefix, 0, 'campaign');
    const control = createDestinationControl(campaign.installation);
    const later = Date.now() + HOUR_MS;

    await destination('transactional', 'delivered', {
      secrets: [seal('whsec_c2VjcmV0', SIGNING_SECRET)],
      headers: { authorization: seal('x', 'authorization') },
    });
    await destination('campaign', 'waiting');
    const given = await destination('campaign', 'given-up');
    const deleted = await destination('campaign', 'deleted');
    await campaign.registry.remove(deleted);
    for (const account of ['flying', 'failed', 'gone']) await destination('campaign', account);
    await control.pause('campaign-waiting', later, 'customer');
    await control.pause(given.id, later);

    const opened = anOpen({ ...FIXED, account: 'delivered', messageId: 'm1', id: 'order-7' });
    await transactional.publisher.publish(
      [{ event: opened, destinations: ['delivered'].map(version1Route) }],
      'producer-1',
    );
    const waiting = { destinations: ['campaign-waiting'].map(version1Route) };
    const events = [openedBy('first'), openedBy('second'), leftBy('third')];
    await campaign.publisher.publish(
      events.map((event) => ({ event: { ...event, account: 'waiting' }, ...waiting })),
      undefined,
      TRACE,
    );
    const chunks = await Promise.all(
      (['transactional', 'campaign'] as const).map((kind) => jobsIn(rigOf(kind), engineQueues(kind).chunks)),
    );

    await Promise.all([campaign.startWorker(), transactional.startWorker()]);
    await campaign.publish([openedBy('given-up')], given);
    for (const account of ['flying', 'failed', 'gone']) {
      await campaign.publish([openedBy(account)], await destination('campaign', account));
      const isAsked = () => receiver.requests.some(({ path: to }) => to.includes(account));
      await eventually(isAsked, { what: `the request to ${account}` });
    }
    await Promise.all([attempted('delivered'), attempted('failed'), dead('gone')]);
    const fresh = async () => (await readMailbox(redis, keys, given.id)).state.fresh;
    await eventually(async () => (await fresh()) === 1, { what: 'the event' });
    await control.drop(given.id);
    await dead('given-up');
    const jobs = await Promise.all([
      jobOf('failed', engineQueues('campaign').resends),
      jobOf('failed', engineQueues('campaign').parks),
      jobOf('gone', engineQueues('campaign').deadLetters),
      jobOf('gone', DEACTIVATIONS_QUEUE, queuePrefix),
    ]);
    await isSettled();

    const stored = { texts: TEXTS, chunks, jobs, keys: await keysOf(campaign) };
    const found: unknown = withoutRandomParts(stored, { queuePrefix, receiver: receiver.url });
    if (!existsSync(SNAPSHOT)) {
      writeFileSync(SNAPSHOT, JSON.stringify(found, undefined, 2));
      throw new Error(`${SNAPSHOT} is new: review it, format it, and commit it`);
    }
    expect(found).toEqual(JSON.parse(readFileSync(SNAPSHOT, 'utf8')));
  }, 60_000);
});
