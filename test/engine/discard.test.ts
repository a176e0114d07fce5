import { engineQueues } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, eventually, startReceiver, startRedis, uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const events = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));

test('discarded dead letters, tried or untried, leave neither data nor jobs in Redis, and others stay', async () => {
  const rig = await startRig({ kind: 'campaign', scheduleMs: [HOUR_MS], breakerFailures: 1, parkMaxMs: HOUR_MS });
  await rig.startWorker();
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const { base, shared, queuePrefix } = engineKeys(rig.queuePrefix, 0, 'campaign');
  const jobs = new Queue(engineQueues('campaign').deadLetters, { connection: rig.redis, prefix: queuePrefix });
  const jobIds = async () => (await jobs.getFailed()).map(({ id }) => id);
  /** Makes one dead letter of a failed batch and one of untried events. */
  const twoDeadLetters = async (): Promise<string> => {
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.publish(events(2), destination);
    await eventually(async () => (await rig.redis.scard(`${base}xs:${destination.id}`)) === 1, { what: 'the failure' });
    await rig.publish(events(3), destination);
    await rig.registry.save({ ...destination, active: false, version: 2 });
    await eventually(async () => (await deadLettersOf(account)).length === 2, { what: 'both dead letters' });
    return account;
  };
  const deadLettersOf = async (account: string) => (await rig.deadLetters.list({ account }, { limit: 10 })).items;
  const [mine, theirs] = [await twoDeadLetters(), await twoDeadLetters()];
  await eventually(async () => (await jobIds()).length === 4, { what: 'their jobs' });

  const address = receiver.url;
  expect(await rig.deadLetters.discard({ account: mine, address: `${address}/other` })).toMatchObject({
    deadLetters: 0,
  });
  const [one] = await deadLettersOf(theirs);
  expect(await rig.deadLetters.discard({ account: mine, ids: [one!.id, 'c0_nothing', 'c9_far', 'odd'] })).toMatchObject(
    {
      deadLetters: 0,
    },
  );
  expect(await rig.deadLetters.discard({ account: mine })).toEqual({
    deadLetters: 2,
    events: { transactional: 0, campaign: 5 },
  });
  expect(await deadLettersOf(mine)).toEqual([]);
  expect(await rig.redis.exists(`${shared}dls:${mine}`)).toBe(0);
  const kept = await deadLettersOf(theirs);
  expect(kept).toHaveLength(2);
  const ids = kept.map(({ id }) => id.slice(id.indexOf('_') + 1)).sort();
  expect((await rig.redis.zrange(`${shared}dls`, '0', '-1')).sort()).toEqual(ids.map((id) => `c${id}`));
  const left = await rig.redis.keys(`${base.replace(/[{}]/g, '?')}dl*`);
  expect(left.filter((key) => !ids.some((id) => key.endsWith(id)))).toEqual([]);
  expect((await jobIds()).sort()).toEqual(ids.map((id) => `dl-${id}`));

  // By id, dead letters of any account are discarded. Discarded ones cannot be re-driven.
  expect(await rig.deadLetters.discard({ ids: kept.map(({ id }) => id) })).toMatchObject({ deadLetters: 2 });
  expect(await rig.deadLetters.redrive({ ids: kept.map(({ id }) => id) })).toMatchObject({ redriven: 0 });
  expect(await rig.redis.keys(`${base.replace(/[{}]/g, '?')}dl*`)).toEqual([]);
  await jobs.close();
  await rig.close();
  await receiver.close();
});

test('dead letters can be discarded while Redis is full, when it matters most', async () => {
  const redis = await startRedis();
  const rig = await startRig({ kind: 'campaign', scheduleMs: [20], redisUrl: redis.url });
  await rig.startWorker();
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const account = uniqueName('account');
  await rig.publish(events(3), await rig.destination(account, receiver.url));
  const countDeadLetters = async () => (await rig.deadLetters.list({ account }, { limit: 10 })).items.length;
  await eventually(async () => (await countDeadLetters()) === 1, { what: 'the dead letter' });
  await rig.redis.config('SET', 'maxmemory', '1');
  await expect(rig.redis.set('more', 'mail')).rejects.toThrow('OOM');
  expect(await rig.deadLetters.discard({ account })).toMatchObject({ deadLetters: 1 });
  expect(await countDeadLetters()).toBe(0);
  await rig.redis.config('SET', 'maxmemory', '0');
  await rig.close();
  await receiver.close();
  await redis.stop();
});
