import { execFile } from 'node:child_process';
import { claimShardCount, createDestinationControl } from '@mailhook/delivery';
import type { MailboxReport } from '@mailhook/insight';
import {
  aCampaignEvent,
  aClick,
  bundleProgram,
  eventually,
  startReceiver,
  testRedisUrl,
  uniqueName,
} from '@mailhook/testing';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const ERROR = 'the receiver answered HTTP 500 Internal Server Error';
const NOWHERE = 'redis://127.0.0.1:1';

let program: string;
beforeAll(async () => {
  program = await bundleProgram("import './scripts/mailhook-tools.ts';");
});

/** Runs `mailhook mailbox ...` without npm. */
function mailbox(env: Readonly<Record<string, string>>, ...args: string[]) {
  const command = [program, 'mailbox', ...args];
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const options = { timeout: 25_000, env: { ...process.env, ...env } };
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('mailhook mailbox', () => {
  test('shows a failing, paused campaign destination with a resend and waiting events', async () => {
    const rig = await startRig({ kind: 'campaign', breakerFailures: 1, parkMaxMs: HOUR_MS, scheduleMs: [HOUR_MS] });
    const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
    await claimShardCount(rig.redis, rig.queuePrefix, 1);
    await rig.startWorker();
    const account = uniqueName('account');
    const destination = await rig.destination(account, `${receiver.url}/hook/secret?token=secret`);
    await rig.publish([aCampaignEvent()], destination);
    await eventually(async () => (await rig.mailbox(destination.id)).state.resends === 1, { what: 'the resend' });
    // A probe would change the mailbox.
    const control = createDestinationControl(rig.installation);
    expect(await control.pause(destination.id, Date.now() + HOUR_MS, 'customer')).toBe('paused');
    await rig.publish([aCampaignEvent(), aCampaignEvent({ event: 'unsubscribe' })], destination);
    await eventually(async () => (await rig.mailbox(destination.id)).state.unsubscribes === 1, { what: 'the events' });

    const env = { REDIS_URL: await testRedisUrl(), QUEUE_PREFIX: rig.queuePrefix };
    const { code, stdout } = await mailbox(env, destination.id, '--json');
    const report = JSON.parse(stdout) as MailboxReport;
    expect(code).toBe(0);
    expect(report).toMatchObject({
      destination: destination.id,
      kind: 'campaign',
      shard: 0,
      record: { state: 'active', account, address: `${receiver.url}/***`, version: 1, isProven: false },
      status: 'waiting',
      owner: null,
      events: { fresh: 1, unsubscribes: 1, inFlight: 0, isInBacklog: true },
      window: [],
      breaker: { failures: 1, parkMs: 5000, error: ERROR },
      pause: { by: 'customer' },
      resends: { due: 0, all: 1, some: [{ events: 1, attempt: 1, error: ERROR }] },
    });
    const words = (await mailbox(env, destination.id)).stdout;
    for (const text of [
      'record      active',
      `address     ${receiver.url}/***\n`,
      'status      waiting: parked or paused',
      'events      1 new, 1 unsubscribes, 0 in flight',
      '1 failure in a row; parked for 5 s, ',
      `last error: ${ERROR}\n`,
      'by the customer',
      'resends     1, 0 of them due',
      '1 event, attempt 1, accepted at 20',
    ])
      expect(words).toContain(text);
    expect(words).not.toContain('token=secret');
    await rig.close();
    await receiver.close();
  }, 60_000);

  test('finds a notification in flight in its shard, with its owner', async () => {
    const rig = await startRig({ kind: 'transactional', shards: 3, timeoutMs: 60_000 });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const receiver = await startReceiver({ reply: async () => (await released, { status: 200 }) });
    await claimShardCount(rig.redis, rig.queuePrefix, 3);
    await rig.startWorker();
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([aClick()], destination);
    await receiver.waitForRequests(1);
    const env = { REDIS_URL: await testRedisUrl(), QUEUE_PREFIX: rig.queuePrefix };
    const { stdout } = await mailbox({ ...env, QUEUE_SHARDS: '3' }, destination.id);
    expect(stdout).toMatch(/\(transactional, shard [012]\)/);
    expect(stdout).toMatch(/status {6}owned by w\w+ .*\(lease until 20/);
    expect(stdout).toContain('window      1 batch\n');
    expect(stdout).toContain('in flight, fresh, attempt 1, 1 event, 1 entry');
    const { code, stderr } = await mailbox(env, destination.id);
    expect([code, stderr]).toEqual([1, 'QUEUE_SHARDS is 1, but this installation has 3: set QUEUE_SHARDS=3.\n']);
    release();
    await rig.close();
    await receiver.close();
  }, 60_000);

  test('names the fault and the fix', async () => {
    const rig = await startRig({ kind: 'transactional' });
    const env = { REDIS_URL: await testRedisUrl(), QUEUE_PREFIX: rig.queuePrefix };
    const failure = async (more: Readonly<Record<string, string>>, ...args: string[]) => {
      const { code, stdout, stderr } = await mailbox({ ...env, ...more }, ...args);
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await failure({}, 'sub_1')).toContain(`no installation with QUEUE_PREFIX ${rig.queuePrefix}`);
    await claimShardCount(rig.redis, rig.queuePrefix, 1);
    expect(await failure({}, 'campaign-nobody')).toContain('Redis has no destination "campaign-nobody"');
    expect(await failure({})).toContain("missing required argument 'destination'");
    expect(await failure({}, 'one', 'two')).toContain('Expected 1 argument but got 2');
    expect(await failure({ REDIS_URL: NOWHERE }, 'sub_1')).toMatch(/does not answer: .*ECONNREFUSED.*set REDIS_URL/);
    expect(await failure({ QUEUE_SHARDS: 'many' }, 'sub_1')).toContain('QUEUE_SHARDS is "many"');
    await rig.close();
  }, 90_000);
});
