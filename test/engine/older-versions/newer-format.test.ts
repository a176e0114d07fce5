import { Writable } from 'node:stream';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { Rig } from '../rig.ts';
import { startRig } from '../rig.ts';

const NEWER = 99;

/** Runs a worker beside records of a later version, which are records with a greater format number. */
describe('a worker that meets a newer format', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    const logStream = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString());
        done();
      },
    });
    rig = await startRig({ kind: 'campaign', logStream });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });
  const keys = () => engineKeys(rig.queuePrefix, 0, 'campaign');
  const setAside = () => rig.redis.zrange(`${rig.base}newer`, '0', '-1');
  const reported = () =>
    lines.filter((line) => line.includes('this worker cannot read mailboxes of a newer format; upgrade the worker'));

  test('leaves the mailbox, logs it once, and continues to serve the others', async () => {
    const newer = await rig.destination(uniqueName('newer'), `${receiver.url}/newer`);
    const other = await rig.destination(uniqueName('other'), `${receiver.url}/other`);
    await rig.publish([aCampaignEvent()], newer);
    const first = await rig.startWorker();
    await receiver.waitForRequests(1);
    await first.close();
    await rig.redis.hset(`${rig.base}d:${newer.id}`, { v: NEWER, ready: '1' });
    await rig.redis.rpush(`${rig.base}ready`, newer.id);
    await rig.startWorker();
    await eventually(async () => (await setAside()).length === 1, { what: 'the mailbox to be left' });
    await eventually(() => reported().length > 0, { what: 'the log line' });
    // Each publish takes the worker at least one more step.
    for (let i = 2; i <= 4; i += 1) {
      await rig.publish([aCampaignEvent()], other);
      await receiver.waitForRequests(i);
    }
    const heartbeat = await rig.redis.get(`${rig.base}beat`);
    await eventually(async () => (await rig.redis.get(`${rig.base}beat`)) !== heartbeat, {
      what: 'one more heartbeat',
    });
    expect(reported()).toHaveLength(1);
    expect(receiver.requests.slice(1).map(({ path }) => path)).toEqual(['/other', '/other', '/other']);
    expect(await setAside()).toEqual([` ${newer.id}`]);
    expect(await rig.redis.lrange(`${rig.base}ready`, 0, -1)).toEqual([]);
  });

  test('moves a chunk for it to the failed jobs, and a worker that can read it appends it', async () => {
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    const formatKey = `${keys().shared}format`;
    await rig.redis.hset(`${rig.base}d:${destination.id}`, 'v', NEWER);
    await rig.redis.set(formatKey, NEWER);
    await rig.publish([aCampaignEvent()], destination);
    const older = await rig.startWorker();
    const failed = `${keys().queuePrefix}:campaign-chunks:failed`;
    const jobKey = (id: string) => `${keys().queuePrefix}:campaign-chunks:${id}`;
    await eventually(async () => (await rig.redis.zcard(failed)) === 1, { what: 'the failed chunk' });
    const [id = ''] = await rig.redis.zrange(failed, '0', '0');
    expect(await rig.redis.hget(jobKey(id), 'failedReason')).toBe('mailbox of format 99, this worker reads up to 2');
    expect(receiver.requests).toHaveLength(0);
    await older.close();
    // The next worker can read the format of the mailbox, like a worker of the later version.
    await rig.redis.hset(`${rig.base}d:${destination.id}`, 'v', 2);
    await rig.redis.hset(jobKey(id), 'failedReason', 'mailbox of format 2, this worker reads up to 1');
    await rig.startWorker();
    const [request] = await receiver.waitForRequests(1, 30_000);
    expect(request?.json).toHaveLength(1);
  });
});
