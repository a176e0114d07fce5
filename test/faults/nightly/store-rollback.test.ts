import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import mongoose from 'mongoose';
import { engineKeys } from '@mailhook/delivery';
import { ACTIVE, DELETED, readMailbox } from '@mailhook/delivery/mailbox';
import type { Mechanism } from '@mailhook/core';
import { aCampaignEvent, anOpen, eventually, goodReply, startMongod, startReceiver } from '@mailhook/testing';
import { uniqueName, unlessMissing } from '@mailhook/testing';
import type { FakeReceiver, LogLine, TestMongod } from '@mailhook/testing';
import { callApi, newCustomer } from '../../end-to-end/rig/customer.ts';
import type { Customer } from '../../end-to-end/rig/customer.ts';
import { startStack } from '../rig/stack.ts';
import type { Stack } from '../rig/stack.ts';

const MODULE = 'transactional_email';

/** MongoDB with the accounts, or Redis with everything else, or both. */
unlessMissing(describe, 'mongod')('a store goes back in time', () => {
  let mongod: TestMongod;
  let mongo: mongoose.mongo.MongoClient;
  let receiver: FakeReceiver;
  let stack: Stack;
  /** Paths of receivers that are down. */
  const down = new Set<string>();
  /** Of all services. */
  const lines: LogLine[] = [];
  const copies = mkdtempSync(path.join(os.tmpdir(), 'mailhook-rolled-back-'));
  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.setReply((request) => (down.has(request.path) ? { status: 503 } : goodReply(request)));
    mongod = await startMongod();
    mongo = new mongoose.mongo.MongoClient(mongod.url, { runtimeAdapters: { os } });
    stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
      env: {
        MONGO_URL: `${mongod.url}/mailhook`,
        RETRY_SCHEDULE: Array.from({ length: 200 }, () => '500ms').join(','),
        BREAKER_FAILURES: '1000',
      },
      onLine: (_name, line) => lines.push(line),
    });
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await receiver.close();
    await mongo.close();
    await mongod.stop();
    rmSync(copies, { recursive: true });
  }, 60_000);
  beforeEach(() => down.clear());

  const at = (name: string): string => receiver.url + name;
  const resync = () => `${stack.queuePrefix}:store-resync`;
  /** No replica compares the store with Redis until `compare`. */
  const holdComparison = () => stack.client.set(resync(), 'test');
  const compare = () => stack.client.del(resync());
  const recordOf = async (kind: Mechanism, id: string) =>
    (await readMailbox(stack.client, engineKeys(stack.queuePrefix, 0, kind), id)).record;
  const says = (kind: Mechanism, id: string, wanted: object) =>
    eventually(
      async () => {
        const record = await recordOf(kind, id);
        return Object.entries(wanted).every(([field, value]) => record?.[field as 'address'] === value);
      },
      { withinMs: 20_000, what: `the record of ${id} to have ${JSON.stringify(wanted)}` },
    );

  /** Sends an event of each mechanism. Resolves with a function that says where they have arrived. */
  const send = async (customer: Customer) => {
    const [email, messageId] = [`${uniqueName('r')}@example.com`, uniqueName('m')];
    await customer.send([aCampaignEvent({ email }), anOpen({ messageId })]);
    return () =>
      receiver.requests
        .filter(({ text, path: to }) => !down.has(to) && (text.includes(email) || text.includes(messageId)))
        .map(({ path: to }) => to)
        .sort();
  };
  const goesTo = async (customer: Customer, wanted: readonly string[]) => {
    const arrived = await send(customer);
    await eventually(() => arrived().length >= wanted.length, { withinMs: 20_000, what: 'the events' });
    expect(arrived()).toEqual(wanted);
  };
  const changeCampaign = async (customer: Customer, change: object) =>
    expect((await customer.call('PUT', '/v3/webhook/campaign', { active: true, ...change })).status).toBe(200);
  const changeSubscription = async (customer: Customer, id: string, change: object) =>
    expect((await customer.call('PUT', `/v3/webhook/subscriptions/${id}`, { module: MODULE, ...change })).status).toBe(
      200,
    );
  const remove = async (customer: Customer, id: string) =>
    expect((await customer.call('DELETE', `/v3/webhook/subscriptions/${id}`)).status).toBe(200);
  const shown = async (customer: Customer) => {
    const lists = ['/v3/webhook/campaign', '/v3/webhook/subscriptions'].map((one) => customer.call('GET', one));
    return (await Promise.all(lists)).map(({ json }) => json);
  };
  const admin = (customer: Customer, method: string, to = '', body?: object) =>
    callApi(`${stack.opsUrl}/admin/accounts/${customer.account}${to}`, stack.adminToken, method, body);
  const counted = async (customer: Customer) =>
    (await admin(customer, 'GET')).json as { events: number; deadLetters: number };
  /** A call while the api connects may be answered with 503, although the store has the change. */
  const retried = <Reply extends { status: number }>(wanted: number, call: () => Promise<Reply>) =>
    eventually(async () => (await call()).status === wanted, { withinMs: 20_000, what: `a ${wanted}` });
  /** Waits for what `to` shows of a deletion or an erasure. */
  const untilFinished = (customer: Customer, to: string) =>
    eventually(
      async () => typeof ((await admin(customer, 'GET', to)).json as { finishedAt: unknown }).finishedAt === 'string',
      { withinMs: 60_000, what: `the end of ${to}` },
    );
  const deleteAccount = async (customer: Customer) => {
    await retried(202, () => admin(customer, 'DELETE'));
    await untilFinished(customer, '/deletion');
  };
  const erase = async (customer: Customer, email: string) => {
    const { id } = (await admin(customer, 'POST', '/erasures', { email })).json as { id: string };
    await untilFinished(customer, `/erasures/${id}`);
  };
  const untilRest = async () => {
    for (const state of Object.values(stack.state))
      await eventually(async () => Object.values(await state.remains()).every((count) => count === 0), {
        withinMs: 30_000,
        what: 'the end of all work',
      });
  };

  const backUpMongo = async () => {
    const db = mongo.db('mailhook');
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    const saved = await Promise.all(
      names.map(async (name) => [name, await db.collection(name).find().toArray()] as const),
    );
    return async (withRedis = () => Promise.resolve()): Promise<void> => {
      await stack.api.kill();
      await withRedis();
      for (const [name, documents] of saved) {
        await db.collection(name).deleteMany({});
        if (documents.length > 0) await db.collection(name).insertMany(documents);
      }
      await stack.restartApi();
    };
  };
  const backUpRedis = async () => {
    const copy = path.join(copies, uniqueName('redis'));
    await stack.redis.kill();
    cpSync(stack.redis.dir, copy, { recursive: true });
    await stack.redis.restart();
    return async (): Promise<void> => {
      await stack.redis.kill();
      rmSync(stack.redis.dir, { recursive: true });
      cpSync(copy, stack.redis.dir, { recursive: true });
      await stack.redis.restart();
    };
  };

  describe('a restored backup of MongoDB, under a newer Redis', () => {
    test('holds after the next comparison: what is shown, and where events go', async () => {
      const customer = await newCustomer(stack);
      const campaign = `campaign-${customer.account}`;
      const kept = await customer.subscribe('open', at('/old-t'));
      const deleted = await customer.subscribe('open', at('/deleted-later'));
      await changeCampaign(customer, { address: at('/old-c') });
      const other = await newCustomer(stack);
      const restore = await backUpMongo();
      const before = await shown(customer);

      await changeSubscription(customer, kept, { address: at('/new-t') });
      await remove(customer, deleted);
      const made = await customer.subscribe('open', at('/made-later'));
      for (const n of [1, 2, 3]) await changeCampaign(customer, { address: at(`/new-c${n}`) });
      await changeCampaign(other, { address: at('/other-c') });
      await goesTo(customer, ['/made-later', '/new-c3', '/new-t']);

      await holdComparison();
      await restore();
      await compare();
      await says('campaign', campaign, { address: at('/old-c'), record: ACTIVE });
      await says('transactional', kept, { address: at('/old-t') });
      await says('transactional', deleted, { address: at('/deleted-later'), record: ACTIVE });
      await says('transactional', made, { record: DELETED });
      await says('campaign', `campaign-${other.account}`, { address: '' });
      expect(await shown(customer)).toEqual(before);
      await goesTo(customer, ['/deleted-later', '/old-c', '/old-t']);

      // The webhook that the backup does not know can be set again.
      await changeCampaign(other, { address: at('/other-again') });
      const arrived = await send(other);
      await eventually(() => arrived().length === 1, { what: 'the event' });
      expect(arrived()).toEqual(['/other-again']);
    }, 120_000);

    test('does not delay a change: it holds at once, before the comparison', async () => {
      const customer = await newCustomer(stack);
      const subscription = await customer.subscribe('open', at('/old-t'));
      await changeCampaign(customer, { address: at('/old-c') });
      const restore = await backUpMongo();
      for (const n of [1, 2, 3]) {
        await changeCampaign(customer, { address: at(`/new-c${n}`) });
        await changeSubscription(customer, subscription, { address: at(`/new-t${n}`) });
      }
      await holdComparison();
      await restore();
      await changeCampaign(customer, { address: at('/after-c') });
      await changeSubscription(customer, subscription, { address: at('/after-t') });
      await goesTo(customer, ['/after-c', '/after-t']);
    }, 120_000);

    test('does not keep a deactivation from stopping an event that waits', async () => {
      const customer = await newCustomer(stack);
      await changeCampaign(customer, { address: at('/old') });
      const restore = await backUpMongo();
      for (const n of [1, 2, 3]) await changeCampaign(customer, { address: at(`/new${n}`) });
      down.add('/new3');
      const email = `${uniqueName('r')}@example.com`;
      await customer.send([aCampaignEvent({ email })]);
      const requests = () => receiver.requests.filter(({ text }) => text.includes(email));
      await eventually(() => requests().length > 0, { what: 'the first attempt' });
      await holdComparison();
      await restore();
      await changeCampaign(customer, { address: at('/old'), active: false });
      await eventually(async () => (await counted(customer)).deadLetters === 1, { what: 'the dead letter' });
      expect((await counted(customer)).events).toBe(0);
      expect(new Set(requests().map(({ path: to }) => to))).toEqual(new Set(['/new3']));
    }, 120_000);
  });

  test('a Redis that went back sends nothing for deleted subscriptions or accounts after the comparison', async () => {
    const [customer, leaver] = [await newCustomer(stack), await newCustomer(stack)];
    const deleted = await customer.subscribe('open', at('/deleted'));
    const left = await leaver.subscribe('open', at('/left'));
    const idle = await customer.subscribe('open', at('/idle'));
    await changeCampaign(customer, { address: at('/old') });
    await changeCampaign(leaver, { address: at('/left-c') });
    for (const to of ['/deleted', '/old', '/idle', '/left', '/left-c']) down.add(to);
    await Promise.all([send(customer), send(leaver)]);
    await eventually(() => [...down].every((to) => receiver.requests.some((one) => one.path === to)), {
      what: 'the first attempts',
    });

    down.add('/moved');
    const restore = await backUpRedis();
    for (const id of [deleted, idle])
      await retried(404, () => customer.call('DELETE', `/v3/webhook/subscriptions/${id}`));
    await retried(200, () => customer.call('PUT', '/v3/webhook/campaign', { address: at('/moved'), active: true }));
    await deleteAccount(leaver);
    // So long ago that nothing repeats the deletion any more.
    await mongo
      .db('mailhook')
      .collection<{ _id: string }>('account-deletions')
      .updateOne({ _id: leaver.account }, { $set: { finishedAt: new Date(Date.now() - 3_600_000).toISOString() } });

    await restore();
    await eventually(() => compare(), { what: 'Redis' });
    for (const id of [deleted, idle, left]) await says('transactional', id, { record: DELETED });
    await says('campaign', `campaign-${leaver.account}`, { record: DELETED });
    await says('campaign', `campaign-${customer.account}`, { address: at('/moved') });

    // What else Redis has of the deleted account again goes with a repeated deletion.
    const logs = () => stack.client.keys(`*attempts:${leaver.account}:*`);
    expect(await logs()).not.toEqual([]);
    await deleteAccount(leaver);
    expect(await logs()).toEqual([]);
    const mark = receiver.requests.length;
    down.clear();
    await untilRest();
    expect(receiver.requests.slice(mark).map(({ path: to }) => to)).toEqual(['/moved']);
  }, 180_000);

  test('both restored to one backup: its state holds, and the documented steps delete again', async () => {
    const [customer, leaver] = [await newCustomer(stack), await newCustomer(stack)];
    const kept = await customer.subscribe('open', at('/old-t'));
    const deleted = await customer.subscribe('open', at('/deleted-later'));
    await changeCampaign(customer, { address: at('/old-c') });
    const { id, token } = (await admin(customer, 'POST', '/tokens', {})).json as { id: string; token: string };
    const statuses = async () => {
      const revoked = await callApi(`${stack.baseUrl}/v3/webhook/campaign`, token, 'GET');
      return [revoked.status, (await leaver.call('GET', '/v3/webhook/campaign')).status];
    };
    const [waiting, erased] = [`${uniqueName('r')}@example.com`, `${uniqueName('r')}@example.com`];
    const requestsWith = (email: string) => receiver.requests.filter(({ text }) => text.includes(email));
    down.add('/old-c');
    for (const email of [waiting, erased]) {
      await customer.send([aCampaignEvent({ email })]);
      await eventually(() => requestsWith(email).length > 0, { what: 'the first attempt' });
    }
    const steer = (what: 'pause' | 'resume', body?: object) =>
      callApi(
        `${stack.opsUrl}/admin/destinations/campaign-${customer.account}/${what}`,
        stack.adminToken,
        'POST',
        body,
      );
    expect((await steer('pause', { minutes: 60 })).status).toBe(200);
    const isFree = async () => (await stack.state['campaign-batcher'].owners()).size === 0;
    await eventually(isFree, { what: 'no batch in flight' });
    const [restoreMongo, before] = [await backUpMongo(), await shown(customer)];
    const restoreRedis = await backUpRedis();

    const mark = lines.length;
    expect(await statuses()).toEqual([200, 200]);
    await eventually(async () => (await counted(customer)).events === 2, { what: 'the api and Redis' });
    await erase(customer, erased);
    expect((await admin(customer, 'DELETE', `/tokens/${id}`)).status).toBe(200);
    await deleteAccount(leaver);
    down.clear();
    await steer('resume');
    await untilRest();
    await changeSubscription(customer, kept, { address: at('/new-t') });
    await changeCampaign(customer, { address: at('/new-c') });
    await remove(customer, deleted);
    await customer.subscribe('open', at('/made-later'));
    await goesTo(customer, ['/made-later', '/new-c', '/new-t']);

    await Promise.all(stack.workers.map((worker) => stack.killWorker(worker)));
    await restoreMongo(restoreRedis);
    const restored = receiver.requests.length;
    expect(await shown(customer)).toEqual(before);
    expect(await statuses()).toEqual([200, 200]);
    expect((await counted(customer)).events).toBe(2);

    // The audit log went back too, so only the log of the api has what to repeat.
    const texts = lines.slice(mark).map((line) => JSON.stringify(line));
    for (const what of ['token_revoked', 'an account was deleted completely', 'the events of a recipient were erased'])
      expect([what, texts.filter((text) => text.includes(what)).length]).toEqual([what, 1]);
    await erase(customer, erased);
    expect((await admin(customer, 'DELETE', `/tokens/${id}`)).status).toBe(200);
    await deleteAccount(leaver);
    expect(await statuses()).toEqual([401, 401]);

    for (const name of ['transactional-notifier', 'campaign-batcher'] as const) await stack.startWorker(name);
    await steer('resume');
    await untilRest();
    expect(receiver.requests.slice(restored).map(({ path: to }) => to)).toEqual(['/old-c']);
    const ids = requestsWith(waiting).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    await goesTo(customer, ['/deleted-later', '/old-c', '/old-t']);
    await changeCampaign(customer, { address: at('/after-c') });
    await goesTo(customer, ['/after-c', '/deleted-later', '/old-t']);
  }, 180_000);
});
