import { aCampaignEvent, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { engineKeys } from '@mailhook/delivery';
import { readAccountSums } from '../../packages/delivery/src/mailbox/accounts.ts';
import { ACTIVE } from '../../packages/delivery/src/mailbox/constants.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

describe.each(['campaign', 'transactional'] as const)('%s: a destination that has moved', (kind) => {
  let rig: Rig;
  let before: FakeReceiver;
  let after: FakeReceiver;
  const anEvent = () => (kind === 'campaign' ? aCampaignEvent() : anOpen());
  beforeAll(async () => {
    rig = await startRig({ kind, breakerFailures: 5, scheduleMs: [3_600_000], allowCidrs: ['127.0.0.1/32'] });
    await rig.startWorker();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    [before, after] = await Promise.all([startReceiver(), startReceiver()]);
  });
  afterEach(() => Promise.all([before.close(), after.close()]));

  test('after a 410 of the old address, the event goes to the new one and the destination stays active', async () => {
    let answer = (): void => undefined;
    before.setReply(async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { status: 410 };
    });
    const account = uniqueName('account');
    const destination = await rig.destination(account, before.url);
    await rig.publish([anEvent()], destination);
    await before.waitForRequests(1);
    await rig.destination(account, after.url, { version: 2 });
    answer();
    const [request] = await after.waitForRequests(1);
    expect(request?.headers['webhook-id']).toBe(before.requests[0]?.headers['webhook-id']);
    expect(request?.headers['webhook-attempt']).toBe('2');
    await eventually(() => rig.attempts.some((one) => one.account === account && one.status === 'delivered'), {
      what: 'the second attempt in the log',
    });
    expect((await rig.deadLetters.list({ account }, { limit: 10 })).items).toEqual([]);
    expect(
      rig.attempts.filter((one) => one.account === account).map(({ status, address }) => [status, address]),
    ).toEqual([
      ['failed', before.url],
      ['delivered', after.url],
    ]);
    expect((await rig.mailbox(destination.id)).record?.record).toBe(ACTIVE);
  });

  test('events for a blocked address become dead letters at once, and the breaker stays closed', async () => {
    const account = uniqueName('account');
    const blocked = 'http://127.0.0.2:9/';
    const destination = await rig.destination(account, blocked);
    for (let i = 0; i < 12; i += 1) await rig.publish([anEvent()], destination);
    const dead = async () => (await rig.deadLetters.list({ account }, { limit: 100 })).items;
    await eventually(async () => (await dead()).reduce((sum, { events }) => sum + events, 0) === 12, {
      what: '12 dead events',
    });
    expect(new Set((await dead()).map(({ address }) => address))).toEqual(new Set([blocked]));
    expect((await rig.mailbox(destination.id)).state.failures).toBe(0);
    const sums = await readAccountSums(rig.redis, engineKeys(rig.queuePrefix, 0, 'campaign'), account);
    expect(sums.events).toBe(0);
    // The next address starts without failures.
    await rig.destination(account, after.url, { version: 2 });
    await rig.publish([anEvent()], destination);
    await after.waitForRequests(1);
  });
});
