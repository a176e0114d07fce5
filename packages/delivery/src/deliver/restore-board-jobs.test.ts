import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { countDeadLetters } from '@mailhook/insight';
import { restoreBoardJobs } from './restore-board-jobs.ts';

let redis: Redis;
beforeAll(async () => {
  redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
});
afterAll(() => closeRedis(redis));

/** Adds dead letters, given as member and time, to a shard's list, each with its record. */
async function keepDeadLetters(prefix: string, shard: number, deadLetters: readonly (readonly [string, number])[]) {
  const { shared, base } = engineKeys(prefix, shard, 'campaign');
  const pipeline = redis.pipeline();
  for (const [member, timeMs] of deadLetters) {
    pipeline.zadd(`${shared}dls`, timeMs, member);
    pipeline.hset(`${base}dl:${member.slice(1)}`, {
      account: 'a',
      destination: 'd',
      events: 1,
      attempts: 1,
      error: '',
    });
  }
  pipeline.expire(`${shared}dls`, 60);
  await pipeline.exec();
}

test('more dead letters than a page are all checked, one page per run, and none is added again', async () => {
  const prefix = uniqueName('dead-letters');
  const nowMs = Date.now();
  const names = Array.from({ length: 4500 }, (_, i) => `c${i}`);
  await keepDeadLetters(
    prefix,
    0,
    // Three dead letters share each timestamp.
    names.map((name, i) => [name, nowMs - 60_000 + Math.floor(i / 3)] as const),
  );
  const shown: string[] = [];
  const show = restoreBoardJobs({
    redis,
    keys: engineKeys(prefix, 0, 'campaign'),
    jobs: {
      addDeadLetters: (deadLetters) => {
        shown.push(...deadLetters.map(({ deadLetter }) => deadLetter));
        return Promise.resolve();
      },
    },
  });
  for (let run = 0; run < 3; run += 1) await show(nowMs);
  expect(new Set(shown).size).toBe(4500);
  shown.length = 0;
  expect(await show(nowMs)).toBe(0);
  await keepDeadLetters(prefix, 0, [['clate', nowMs]]);
  expect(await show(nowMs + 6000)).toBe(1);
  expect(shown).toEqual(['late']);
});

test('dead letters are counted by mechanism over all shards while they are kept', async () => {
  const prefix = uniqueName('dead-letters');
  const nowMs = Date.now();
  await keepDeadLetters(prefix, 0, [
    ['c1', nowMs],
    ['t1', nowMs],
    ['t2', nowMs - 6 * 86_400_000],
    ['t3', nowMs - 8 * 86_400_000],
  ]);
  await keepDeadLetters(prefix, 1, [['c2', nowMs]]);
  expect(await countDeadLetters(new Installation(redis, prefix, 2))).toEqual({ transactional: 2, campaign: 2 });
  const many = Array.from({ length: 12_000 }, (_, i) => [i % 4 === 0 ? `c-${i}` : `t-${i}`, nowMs] as const);
  const [one, other] = [many.slice(0, 6000), many.slice(6000)];
  await keepDeadLetters(prefix, 2, one);
  await keepDeadLetters(prefix, 2, other);
  const counts = await countDeadLetters(new Installation(redis, prefix, 3));
  expect(counts.transactional + counts.campaign).toBe(12_004);
  expect(Math.abs(counts.campaign - 3002)).toBeLessThan(300);
});
