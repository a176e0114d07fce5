import { createDeadLetterCommands } from '../../packages/delivery/src/mailbox/commands/manage.ts';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startRig } from './rig.ts';
import type { Rig } from './rig.ts';

const HOUR_MS = 3_600_000;
const events = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));

describe('a run that redrives dead letters', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    rig = await startRig({ kind: 'campaign', scheduleMs: [], breakerFailures: 100, poisonSplit: false });
    await rig.startWorker();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  /** Lets batches of these sizes fail with this status. */
  async function fail(account: string, status: number, sizes: readonly number[]) {
    receiver.setReply(() => ({ status }));
    const destination = await rig.destination(account, receiver.url);
    for (const size of sizes) {
      const before = (await rig.deadLetters.summary(account)).total;
      await rig.publish(events(size), destination);
      const isDead = async () => (await rig.deadLetters.summary(account)).total === before + 1;
      await eventually(isDead, { what: 'the dead letter' });
    }
    return destination;
  }
  const progress = async (account: string) => (await rig.deadLetters.summary(account)).redriven;
  const groups = async (account: string, filter = {}) => (await rig.deadLetters.groups(account, filter)).items;

  test('takes one group, and shows how much of it is delivered', async () => {
    const account = uniqueName('account');
    await fail(account, 500, [3, 2]);
    await fail(account, 400, [1]);
    const [most, least] = await groups(account);
    expect([most, least]).toMatchObject([
      {
        deadLetters: 2,
        events: 5,
        destination: 'campaign',
        error: 'the receiver answered HTTP 500 Internal Server Error',
      },
      { deadLetters: 1, events: 1, error: 'the receiver answered HTTP 400 Bad Request' },
    ]);
    expect(await groups(account, { cause: least?.cause })).toEqual([least]);
    expect(await groups(account, { destination: 'other' })).toEqual([]);
    expect(await groups(account, { from: new Date(Date.now() + HOUR_MS).toISOString() })).toEqual([]);
    const found = await rig.deadLetters.list({ account, cause: most?.cause }, { limit: 1 });
    expect([found.items.length, found.nextCursor !== undefined]).toEqual([1, true]);

    receiver.setReply(({ json }) => acknowledge(json));
    expect(await rig.deadLetters.redrive({ account, groups: [most?.id ?? ''] })).toEqual({ redriven: 2 });
    await eventually(async () => (await progress(account))?.delivered === 5, { what: 'the five events' });
    expect(await progress(account)).toMatchObject({ state: 'ended', left: 0, waiting: 0, failed: 0 });
    expect(await groups(account)).toEqual([least]);
    expect(await rig.deadLetters.discard({ account, groups: [least?.id ?? ''] })).toMatchObject({ deadLetters: 1 });
    expect(await groups(account)).toEqual([]);
  });

  test('of two people at the same time redrives each dead letter once', async () => {
    const account = uniqueName('account');
    await fail(account, 500, [1, 1, 1, 1, 1]);
    receiver.setReply(({ json }) => acknowledge(json));
    const before = receiver.requests.length;
    const runs = await Promise.all([rig.deadLetters.redrive({ account }), rig.deadLetters.redrive({ account })]);
    expect(runs.reduce((sum, { redriven }) => sum + redriven, 0)).toBe(5);
    await eventually(async () => (await progress(account))?.delivered === 5, { what: 'the five events' });
    expect(await progress(account)).toMatchObject({ state: 'ended', left: 0, waiting: 0, failed: 0 });
    expect(receiver.requests.length - before).toBe(5);
  });

  test('is stopped, and what it has not redriven stays; so does what a lost process had not reached', async () => {
    const account = uniqueName('account');
    const destination = await fail(account, 500, [1, 1, 1]);
    const { keys, id } = { keys: rig.installation.keysOf(account, 'campaign'), id: destination.id };
    const commands = createDeadLetterCommands(rig.redis, keys);
    const ids = (await rig.deadLetters.list({ account }, { limit: 9 })).items.map((one) =>
      one.id.replace(/^c\d+_/, ''),
    );
    receiver.setReply(({ json }) => acknowledge(json));
    expect(id).not.toBe('');

    const begunMs = await commands.beginRedrive(account, 'run-1', 3);
    expect(await commands.redrive(ids[0] ?? '', 'again-1', 'run-1', { begunMs, left: 3 })).toBe('redriven');
    expect(await progress(account)).toMatchObject({ state: 'running', left: 2 });
    // Another person looks 30 s after the process died.
    const touched = String(await rig.redis.hget(keys.redriven(account), 'touched'));
    await rig.redis.hset(keys.redriven(account), 'touched', Number(touched) - 30_000);
    expect(await progress(account)).toMatchObject({ state: 'interrupted', left: 2 });

    await rig.deadLetters.stopRedrive(account);
    expect(await progress(account)).toMatchObject({ state: 'stopped', left: 2 });
    expect(await commands.redrive(ids[1] ?? '', 'again-2', 'run-1', { begunMs, left: 2 })).toBe('stopped');
    expect((await rig.deadLetters.summary(account)).total).toBe(2);

    // A new run takes the rest.
    await eventually(async () => (await progress(account))?.delivered === 1, { what: 'the first event' });
    await eventually(async () => (await rig.deadLetters.redrive({ account })).redriven === 2, { what: 'the rest' });
    await eventually(async () => (await progress(account))?.delivered === 2, { what: 'the other two' });
    expect(await progress(account)).toMatchObject({ state: 'ended', left: 0, waiting: 0, failed: 0 });
    expect((await rig.deadLetters.summary(account)).total).toBe(0);
  });

  test('is forgotten when its process was killed and another one begins, and one that goes on is not', async () => {
    const account = uniqueName('account');
    await fail(account, 500, [1, 1, 1, 1]);
    const commands = createDeadLetterCommands(rig.redis, rig.installation.keysOf(account, 'campaign'));
    const ids = (await rig.deadLetters.list({ account }, { limit: 9 })).items.map((one) =>
      one.id.replace(/^c\d+_/, ''),
    );
    receiver.setReply(({ json }) => acknowledge(json));
    // This one ends here, as a killed process does.
    await commands.beginRedrive(account, 'killed', 4);
    const begunMs = await commands.beginRedrive(account, 'slow', 2);
    await commands.beginRedrive(account, 'quick', 2);
    expect(await progress(account)).toMatchObject({ state: 'running', left: 2 });
    expect(await commands.redrive(ids[0] ?? '', 'again-s', 'slow', { begunMs, left: 2 })).toBe('redriven');
    expect(await progress(account)).toMatchObject({ state: 'running', left: 3 });
    await commands.endRedrive(account, 'quick');
    await commands.endRedrive(account, 'slow');
    await eventually(async () => (await progress(account))?.delivered === 1, { what: 'the first event' });
    await commands.beginRedrive(account, 'killed again', 3);
    expect(await rig.deadLetters.redrive({ account })).toEqual({ redriven: 3 });
    await eventually(async () => (await progress(account))?.delivered === 3, { what: 'the other events' });
    expect(await rig.deadLetters.summary(account)).toMatchObject({ total: 0, redriven: { state: 'ended', left: 0 } });
  });

  test('is stopped before it begins, while others of its press run, and before its first dead letter', async () => {
    const account = uniqueName('account');
    await fail(account, 500, [1, 1]);
    const sinceMs = await rig.deadLetters.redriveTime(account);
    expect(await rig.deadLetters.isStoppedSince(account, sinceMs)).toBe(false);
    await rig.deadLetters.stopRedrive(account);
    expect(await rig.deadLetters.isStoppedSince(account, sinceMs)).toBe(true);
    expect(await rig.deadLetters.redrive({ account }, sinceMs)).toEqual({ redriven: 0 });
    expect(await rig.deadLetters.summary(account)).toEqual({ total: 2 });
    receiver.setReply(({ json }) => acknowledge(json));
    await eventually(async () => (await rig.deadLetters.redrive({ account })).redriven === 2, { what: 'a later run' });
  });

  test('says nothing of a stop when nothing was redriven', async () => {
    const account = uniqueName('account');
    await rig.deadLetters.stopRedrive(account);
    expect(await rig.deadLetters.summary(account)).toEqual({ total: 0 });
  });
});
