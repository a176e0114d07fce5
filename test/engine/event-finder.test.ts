import { aCampaignEvent, aClick, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { createEventFinder } from '@mailhook/insight';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const finderOf = (rig: Rig) => createEventFinder(rig.installation, rig.attemptLog);

describe('where is this event?', () => {
  test('a campaign event: waiting, resend, dead, and delivered in a partly acknowledged batch', async () => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    await rig.startWorker();
    const receiver = await startReceiver({ reply: (request) => acknowledge(request.json, (_event, i) => i === 0) });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    const find = async (hash: string) => (await finderOf(rig).find(account, { hash }, [destination])).items;
    const state = (hash: string, wanted: string) =>
      eventually(async () => (await find(hash)).map((item) => item.state).join() === wanted, {
        what: `${hash} ${wanted}`,
      });

    await rig.publish(
      [aCampaignEvent({ hash: 'confirmed-one' }), aCampaignEvent({ hash: 'say "again"' })],
      destination,
    );
    await state('confirmed-one', 'delivered');
    await state('say "again"', 'resend');
    const [resend] = await find('say "again"');
    expect(resend).toMatchObject({ destination: 'campaign', attempts: 1 });
    expect(Date.parse(resend?.nextAttemptAt ?? '')).toBeGreaterThan(Date.now());
    expect(await find('never-seen-at-all')).toEqual([]);

    receiver.setReply(() => ({ status: 500 }));
    await rig.publish([aCampaignEvent({ hash: 'fails-and-parks' })], destination);
    await state('fails-and-parks', 'resend');
    await rig.publish([aCampaignEvent({ hash: 'waits-its-turn' })], destination);
    await state('waits-its-turn', 'waiting');
    await rig.registry.save({ ...destination, active: false, version: 2 });
    await state('waits-its-turn', 'dead');
    await state('fails-and-parks', 'dead');
    // An account cannot find events of another account.
    const strangers = await finderOf(rig).find(uniqueName('stranger'), { hash: 'confirmed-one' }, []);
    expect(strangers.items).toEqual([]);
    // The answer says what was searched, because an event that is not found may still have been delivered.
    expect(strangers.searched).toContain('only a sample while a worker makes more than 200 a second');
    await rig.close();
    await receiver.close();
  });

  test('a failed event among 30,000 resends is found by its attempt, and none is called final too early', async () => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    await rig.startWorker();
    const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    const find = () => finderOf(rig).find(account, { hash: 'fails-at-first' }, [destination]);
    await rig.publish([aCampaignEvent({ hash: 'fails-at-first' })], destination);
    // The attempt is logged in another step than the settle, which makes the resend.
    const isFound = async () => {
      const { items, attempts } = await find();
      return attempts.length === 1 && items[0]?.state === 'resend';
    };
    await eventually(isFound, { what: 'the resend and its attempt' });
    expect(await find()).toMatchObject({ items: [{ state: 'resend' }], isComplete: true });
    const [batch = ''] = await rig.redis.zrange(`${rig.base}due`, '0', '0');
    const others = Array.from({ length: 30_000 }, (_, i) => `other-${i}`);
    await rig.redis.sadd(`${rig.base}xs:${destination.id}`, ...others);
    expect(await find()).toMatchObject({ items: [{ state: 'resend' }], isComplete: false });
    await rig.redis.del(`${rig.base}x:${batch}`);
    expect(await find()).toMatchObject({ items: [], attempts: [{ status: 'failed' }], isComplete: false });
    await rig.close();
    await receiver.close();
  });

  test('a notification: in flight, then delivered', async () => {
    const rig = await startRig({ kind: 'transactional', timeoutMs: 5000 });
    await rig.startWorker();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const receiver = await startReceiver({ reply: async () => (await released, { status: 200 }) });
    const account = uniqueName('sub');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish([aClick({ messageId: '<a"b@example.com>' })], destination);
    await receiver.waitForRequests(1);
    const find = () => finderOf(rig).find(account, { messageId: '<a"b@example.com>' }, [destination]);
    expect((await find()).items).toMatchObject([{ destination: account, state: 'in_flight', attempts: 1 }]);
    release();
    await eventually(async () => (await find()).items[0]?.state === 'delivered', { what: 'the delivery' });
    await rig.close();
    await receiver.close();
  });
});
