import { hash } from 'node:crypto';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { BLOCK_OVERHEAD_BYTES } from '../mailbox/constants.ts';
import { createRunner } from '../mailbox/functions.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { packRows } from './row-blocks.ts';

const ROWS = ['{"time":"2026-11-27T21:00:01.000Z"}', '{"time":"2026-11-27T21:00:00.000Z"}'];
const BLOCK = packRows(ROWS);
const BYTES = BLOCK.length + BLOCK_OVERHEAD_BYTES;
const MANY = 1e9;

let redis: Redis;
beforeAll(async () => {
  redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
});
afterAll(() => closeRedis(redis));

test.each([
  ['2 blocks', [2, MANY, MANY], [1, 2, 2]],
  ['the bytes of 2 blocks', [MANY, 2 * BYTES, MANY], [1, 2, 2]],
  ['the bytes of 2 blocks for all accounts', [MANY, MANY, 2 * BYTES], [1, 2, 2]],
  ['less than a block, which keeps the newest', [MANY, 1, MANY], [1, 1, 1]],
])('an account keeps what its limit says: %s', async (_, limits, kept) => {
  const [keys, account] = [engineKeys(uniqueName('packer'), 0, 'campaign'), 'account'];
  const add = async (): Promise<number> => {
    await redis.rpush(keys.attempts(account, 'delivered'), ...ROWS);
    const share = (await redis.hgetBuffer(keys.blocks, account)) ?? Buffer.alloc(0);
    const version = hash('sha1', share);
    const lifetimeMs = Date.now();
    expect(
      await createRunner(redis)('pack-rows', keys, account, ROWS.length, version, BLOCK, ...limits, lifetimeMs),
    ).toBe(1);
    return redis.hlen(keys.attempts(account, 'packed'));
  };
  expect([await add(), await add(), await add()]).toEqual(kept);
});
