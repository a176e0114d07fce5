import path from 'node:path';
import type { Mechanism } from '@mailhook/core';
import type { Engine } from '@mailhook/delivery';
import { createDestinationControl } from '@mailhook/delivery';
import type { FakeReceiver, ReceivedRequest, TestRedis } from '@mailhook/testing';
import { cannotShiftClocks, eventually, startReceiver, startRedis, unlessImpossible } from '@mailhook/testing';
import { isOver, readEngineState } from '../../faults/rig/engine-state.ts';
import type { Rig } from '../rig.ts';
import { startRig } from '../rig.ts';
import type { ExpectedMailbox, ExpectedRequest, State } from './snapshot.ts';
import { bodyOf, fragmentsOf, readSnapshot, snapshotNames, SNAPSHOTS } from './snapshot.ts';

const KINDS = ['transactional', 'campaign'] as const;
const HOUR_MS = 3_600_000;
/** Longer than the parking after a failed probe. */
const PARKED_MS = 700_000;
/** The snapshot's workers are gone for this long. */
const PAUSE_MS = 5000;
const SENT_AT_ONCE: readonly State[] = ['waiting', 'frozen', 'due', 'chunk'];
const SENT_LATER: readonly State[] = ['later', 'paused', 'dead-batch', 'dead-waiting'];

unlessImpossible(describe, cannotShiftClocks())("today's workers on data of each earlier version in Redis", () =>
  describe.each(snapshotNames())('version %s', (name) => {
    const snapshot = readSnapshot(name);
    const realNow = Date.now.bind(Date);
    let aheadMs = 0;
    let server: TestRedis;
    let receiver: FakeReceiver;
    let rigs: Record<Mechanism, Rig>;
    let clock: jest.SpyInstance;
    const workers: Engine[] = [];

    /** Starts new workers at another time. Running ones would not follow a step of Redis's clock. */
    const workAt = async (ms: number): Promise<void> => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      aheadMs = ms - realNow();
      server.setClock(aheadMs);
      for (const kind of KINDS) workers.push(await rigs[kind].startWorker());
    };

    beforeAll(async () => {
      // Start before the parkings end, which are short.
      aheadMs = snapshot.madeAtMs - PAUSE_MS - realNow();
      clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
      server = await startRedis({ snapshot: path.join(SNAPSHOTS, `${name}.rdb`), clockAheadMs: aheadMs });
      receiver = await startReceiver({ host: snapshot.host, port: snapshot.port });
      const { queuePrefix } = snapshot;
      // The receiver may be slow on a busy machine, and a timeout would be another attempt.
      const options = { redisUrl: server.url, queuePrefix, scheduleMs: [HOUR_MS], timeoutMs: 30_000 };
      rigs = {
        transactional: await startRig({ ...options, kind: 'transactional' }),
        campaign: await startRig({ ...options, kind: 'campaign' }),
      };
    });
    afterAll(async () => {
      await Promise.all(Object.values(rigs).map((rig) => rig.close()));
      await receiver.close();
      await server.stop();
      clock.mockRestore();
    });

    const control = () => {
      const { redis } = rigs.campaign;
      return createDestinationControl({ redis, queuePrefix: snapshot.queuePrefix, shards: 1 });
    };
    const at = (mailbox: ExpectedMailbox) => receiver.requests.filter((request) => request.path === mailbox.path);
    const of = (...states: readonly State[]) => snapshot.mailboxes.filter(({ state }) => states.includes(state));
    const has = (state: State) => of(state).length > 0;
    const complete = (mailboxes: readonly ExpectedMailbox[]) =>
      eventually(() => mailboxes.every((mailbox) => eventsIn(at(mailbox)) >= eventsOf(mailbox)), {
        what: `all events of ${mailboxes.map((mailbox) => mailbox.path).join(', ')}`,
        withinMs: 20_000,
      });

    test('parked and paused destinations are shown as such', async () => {
      for (const { destination, state } of of('parked', 'paused'))
        expect(await control().find(destination)).toMatchObject({ state });
    });

    test('waiting, frozen and due events are sent at once, others stay', async () => {
      await workAt(snapshot.madeAtMs + PAUSE_MS);
      await complete(of(...SENT_AT_ONCE));
      for (const mailbox of of(...SENT_AT_ONCE)) compare(mailbox, at(mailbox));
      expect(of(...SENT_LATER).flatMap((mailbox) => at(mailbox))).toEqual([]);
    });

    // The oldest version could not pause.
    if (has('paused'))
      test('paused destinations stay paused until they are resumed', async () => {
        for (const { destination } of of('paused')) expect(await control().resume(destination)).toBe('resumed');
        await complete(of('paused'));
        for (const mailbox of of('paused')) compare(mailbox, at(mailbox));
      });

    test('a parked destination is probed at the end of its parking, then drained', async () => {
      // Some of the resends follow in an hour.
      await complete(of('parked').map((mailbox) => ({ ...mailbox, repeated: [] })));
      expect(of('later').flatMap((mailbox) => at(mailbox))).toEqual([]);
    });

    test('a resend is sent when it is due, not earlier', async () => {
      await workAt(snapshot.madeAtMs + HOUR_MS + PARKED_MS);
      await complete(of('later', 'parked'));
      for (const mailbox of of('later', 'parked')) compare(mailbox, at(mailbox));
    });

    test('dead letters are listed and can be redriven', async () => {
      const { deadLetters } = rigs.campaign;
      const dead = of('dead-batch', 'dead-waiting');
      const expected = dead.flatMap((mailbox) =>
        mailbox.deadLetters.map((letter) => ({ ...letter, account: mailbox.state })),
      );
      const { items } = await deadLetters.list({}, { limit: 100 });
      const listed = items.map(({ account, events, attempts }) => ({ account, events, attempts }));
      expect(sorted(listed)).toEqual(sorted(expected));
      expect(await deadLetters.redrive({})).toMatchObject({ redriven: expected.length });
      await complete(dead);
      for (const mailbox of dead) compare(mailbox, at(mailbox));
      expect((await deadLetters.list({}, { limit: 100 })).items).toEqual([]);
    });

    test('nothing is sent twice, and nothing is left', async () => {
      for (const kind of KINDS) {
        const state = readEngineState(rigs[kind].redis, snapshot.queuePrefix, kind);
        await eventually(async () => isOver(await state.remains()), { what: `the end of all ${kind} work` });
      }
      for (const mailbox of snapshot.mailboxes) compare(mailbox, at(mailbox));
      expect(
        receiver.requests.map(({ path: to }) => to).filter((to) => !snapshot.mailboxes.some((box) => box.path === to)),
      ).toEqual([]);
      const { redis, base } = rigs.campaign;
      const shared = base.slice(0, -'c:'.length);
      // Only the long field that belongs to no account.
      for (const sums of ['undelivered', 'held']) expect(await redis.hvals(`${shared}${sums}`)).toEqual(['0']);
      expect(await redis.keys(`${shared}*:x:*`)).toEqual([]);
    });
  }),
);

const sorted = (items: readonly object[]): string[] =>
  items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();

const eventsIn = (requests: readonly ReceivedRequest[]): number =>
  requests.reduce((sum, { json }) => sum + (Array.isArray(json) ? json.length : 1), 0);

const eventsOf = ({ repeated, notifications, fragments }: ExpectedMailbox): number =>
  repeated.reduce((sum, { body }) => sum + (body.startsWith('[') ? (JSON.parse(body) as unknown[]).length : 1), 0) +
  notifications.length +
  fragments.fresh.length +
  fragments.unsubscribes.length;

const sentOf = ({ headers, text }: ReceivedRequest): ExpectedRequest => ({
  webhookId: String(headers['webhook-id']),
  attempt: Number(headers['webhook-attempt']),
  body: text,
});

/** Compares every request byte by byte. Repeated ones have their earlier ids, and the others come in order, as first attempts. */
function compare(mailbox: ExpectedMailbox, requests: readonly ReceivedRequest[]): void {
  const sent = requests.map(sentOf);
  const ids = new Set(mailbox.repeated.map(({ webhookId }) => webhookId));
  const fresh = sent.filter(({ webhookId }) => !ids.has(webhookId));
  expect(sorted(sent.filter(({ webhookId }) => ids.has(webhookId)))).toEqual(sorted(mailbox.repeated));
  if (mailbox.kind === 'transactional') {
    expect(fresh).toEqual(mailbox.notifications);
    return;
  }
  for (const { attempt, body } of fresh) {
    expect(attempt).toBe(1);
    expect(body).toBe(bodyOf(fragmentsOf(body, 1), 1));
  }
  const events = fresh.flatMap(({ body }) => fragmentsOf(body, 1));
  const isUnsubscribe = (event: string) => event.includes('"event":"unsubscribe"');
  expect(events.filter((event) => !isUnsubscribe(event))).toEqual(mailbox.fragments.fresh);
  expect(events.filter(isUnsubscribe)).toEqual(mailbox.fragments.unsubscribes);
  expect(new Set(fresh.map(({ webhookId }) => webhookId)).size).toBe(fresh.length);
}
