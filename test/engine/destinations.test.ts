import type { DeactivationJob } from '@mailhook/core';
import { campaignBatch, shardOf, version1Route } from '@mailhook/core';
import type { Job } from 'bullmq';
import { Queue } from 'bullmq';
import { engineKeys } from '@mailhook/delivery';
import type { FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, aClick, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { readAccountSums } from '../../packages/delivery/src/mailbox/accounts.ts';
import { ACTIVE, GONE } from '../../packages/delivery/src/mailbox/constants.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));
const deadEvents = async (rig: Rig, account: string) =>
  (await rig.deadLetters.list({ account }, { limit: 100 })).items.reduce((sum, { events }) => sum + events, 0);

describe('destinations that change while events wait', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    rig = await startRig({ kind: 'campaign', breakerFailures: 1, parkMaxMs: 3_600_000, scheduleMs: [3_600_000] });
    await rig.startWorker();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  /** Parks a destination for an hour by a failed batch of one event. Then `waiting` more events wait. */
  async function parked(waiting: number) {
    receiver.setReply(() => ({ status: 500 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(batch(1), destination);
    await eventually(async () => (await rig.redis.zscore(`${rig.base}parked`, destination.id)) !== null, {
      what: 'the parking',
    });
    if (waiting > 0) await rig.publish(batch(waiting), destination);
    await eventually(async () => (await rig.mailbox(destination.id)).state.fresh === waiting, { what: 'waiting mail' });
    return { account, destination };
  }

  test('a new address gets the waiting events, and closes the breaker', async () => {
    const { destination } = await parked(7);
    const elsewhere = await startReceiver();
    await rig.registry.save({ ...destination, address: elsewhere.url, version: 2 });
    const [request] = await elsewhere.waitForRequests(1);
    expect(campaignBatch.parse(request?.json)).toHaveLength(7);
    await elsewhere.close();
  });

  test('without an address: undelivered events, resends included, become dead letters of the last one', async () => {
    const { account, destination } = await parked(2500);
    const cleared = { ...destination, address: null, active: false, inactiveReason: 'cleared by hand', version: 2 };
    expect([await rig.registry.save(cleared), await rig.registry.save(cleared)]).toEqual(['written', 'same']);
    await eventually(async () => (await deadEvents(rig, account)) === 2501, { what: '2,501 dead events' });
    const { items } = await rig.deadLetters.list({ account }, { limit: 100 });
    const facts = items.map(({ error, address }) => `${String(error)} ${address}`);
    expect(new Set(facts)).toEqual(new Set([`cleared by hand ${receiver.url}`]));
    await rig.untilEmpty(destination.id);
    expect(await rig.redis.exists(`${rig.base}f:${destination.id}`, `${rig.base}xs:${destination.id}`)).toBe(0);

    receiver.setReply((request) => acknowledge(request.json));
    await rig.registry.save({ ...destination, version: 3 });
    await rig.deadLetters.redrive({ account, address: receiver.url });
    await eventually(
      () => receiver.requests.slice(1).reduce((sum, { json }) => sum + (json as unknown[]).length, 0) === 2501,
      {
        what: '2,501 events after the re-drive',
      },
    );
    expect(await deadEvents(rig, account)).toBe(0);
  });

  test('deleted: undelivered events are discarded, nothing is sent and nothing stays', async () => {
    const { account, destination } = await parked(1200);
    await rig.registry.remove(destination);
    await rig.untilEmpty(destination.id);
    expect(await deadEvents(rig, account)).toBe(0);
    expect(await readAccountSums(rig.redis, engineKeys(rig.queuePrefix, 0, 'campaign'), account)).toMatchObject({
      events: 0,
    });
    expect(receiver.requests).toHaveLength(1);
  });

  test('a 410 switches off the version that got it, reports it by a job, and gives up all events', async () => {
    receiver.setReply(() => ({ status: 410 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(batch(3), destination);
    await eventually(async () => (await deadEvents(rig, account)) === 3, { what: 'dead letters' });
    const queue = new Queue('destination-deactivations', { connection: rig.redis, prefix: rig.queuePrefix });
    const job = await eventually(
      async () =>
        ((await queue.getJobs()) as Job<DeactivationJob>[]).find(({ data }) => data.destination === destination.id),
      {
        what: 'a deactivation job',
      },
    );
    expect(job.data).toMatchObject({ account, version: 1, kind: 'campaign' });
    expect(job.data.reason).toContain('410');
    await queue.close();
    // Saving the same version again (like an outdated re-sync) changes nothing. A newer version activates the
    // destination.
    await rig.registry.save(destination);
    expect((await rig.mailbox(destination.id)).record?.record).toBe(GONE);
    await rig.registry.save({ ...destination, version: 2 });
    expect((await rig.mailbox(destination.id)).record?.record).toBe(ACTIVE);
  });
});

describe('the breaker', () => {
  test('probes with one event, an unsubscribe first, and sends the rest after a success', async () => {
    const rig = await startRig({ kind: 'campaign', breakerFailures: 1, parkMaxMs: 60, scheduleMs: [3_600_000] });
    await rig.startWorker();
    const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(batch(1), destination);
    await receiver.waitForRequests(1);
    await rig.publish(
      [...batch(50), aCampaignEvent({ event: 'unsubscribe', email: 'leaver@example.com' })],
      destination,
    );
    const probes = await receiver.waitForRequests(3);
    for (const probe of probes.slice(1, 3)) expect(probe.json).toMatchObject([{}]);
    expect(probes[1]?.json).toMatchObject([{ email: 'leaver@example.com' }]);
    receiver.setReply((request) => acknowledge(request.json));
    await rig.untilEmpty(destination.id);
    expect(Math.max(...receiver.requests.map(({ json }) => (json as unknown[]).length))).toBeGreaterThan(1);
    await rig.close();
    await receiver.close();
  });
});

describe('producers\u2019 ids', () => {
  test('an id of an account is delivered once, within one request and across several', async () => {
    const rig = await startRig({ kind: 'transactional' });
    await rig.startWorker();
    const receiver = await startReceiver();
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(
      [
        aClick({ id: 'one', messageId: 'first' }),
        aClick({ id: 'one', messageId: 'second' }),
        aClick({ messageId: 'free' }),
      ],
      destination,
    );
    await receiver.waitForRequests(2);
    await rig.publish(
      [aClick({ id: 'one', messageId: 'third' }), aClick({ id: 'two', messageId: 'other' })],
      destination,
    );
    await receiver.waitForRequests(3);
    await rig.publish([aClick({ messageId: 'last' })], destination);
    const requests = await receiver.waitForRequests(4);
    expect(requests.map(({ json }) => (json as { messageId: string }).messageId).sort()).toEqual([
      'first',
      'free',
      'last',
      'other',
    ]);
    await rig.close();
    await receiver.close();
  });

  test('an id is delivered once to an account of another shard, which then remembers no claims', async () => {
    const rig = await startRig({ kind: 'transactional', shards: 2 });
    await rig.startWorker();
    const receiver = await startReceiver();
    const accounts = [0, 1].map((shard) => {
      const names = Array.from({ length: 50 }, () => uniqueName('account'));
      return names.find((name) => shardOf(name, 2) === shard) ?? '';
    });
    await Promise.all(accounts.map((account) => rig.destination(account, receiver.url)));
    const publish = (ids: readonly string[]) =>
      rig.publisher.publish(
        ids.flatMap((id) =>
          accounts.map((account) => ({
            event: { ...aClick({ id, messageId: `${account} ${id}` }), account },
            destinations: [version1Route(account)],
          })),
        ),
      );
    await publish(['one', 'two']);
    await receiver.waitForRequests(4);
    await publish(['two', 'three']);
    const requests = await receiver.waitForRequests(6);
    expect(requests.map(({ json }) => (json as { messageId: string }).messageId).sort()).toEqual(
      accounts.flatMap((account) => ['one', 'three', 'two'].map((id) => `${account} ${id}`)).sort(),
    );
    await eventually(async () => (await rig.redis.keys(`*${rig.queuePrefix}*claimed:*`)).length === 0, {
      what: 'the end of the claims',
    });
    await rig.close();
    await receiver.close();
  });
});
