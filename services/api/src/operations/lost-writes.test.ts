import { rmSync } from 'node:fs';
import path from 'node:path';
import type { OperationsReport } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, startRedis } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';

test('without a worker, an api finds that Redis went back to an earlier state, and that it started empty', async () => {
  const redis = await startRedis();
  const lines: string[] = [];
  const api = await startApi({ REDIS_URL: redis.url, QUEUE_SHARDS: '2' }, (line) => lines.push(line));
  const shard = engineKeys(api.prefix, 1, 'transactional');
  const client = connectRedis({ url: redis.url, role: 'worker', name: 'test', onError: () => undefined });
  /** The time of the api's newest heartbeat in the second shard, when it has sent another one. */
  const nextHeartbeat = async (): Promise<number> => {
    const read = async () => Number(String(await client.hvals(`${shard.base}beats`)).split(' ')[1]);
    const before = await read();
    return eventually(async () => (await read()) > before && read(), { what: 'another heartbeat' });
  };
  const startAgain = async (): Promise<void> => {
    await redis.kill();
    await redis.restart();
  };
  const found = (text: string) =>
    eventually(
      async () => {
        const { findings, installation } = (await api.admin('get', '/admin/overview')).body as OperationsReport;
        return findings.some((finding) => finding.text.startsWith(text)) && installation.lostWrites;
      },
      { what: text },
    );
  const seconds = async (): Promise<number> => {
    const { text } = await api.opsAs(undefined)('get', '/metrics');
    return Number(/^mailhook_redis_lost_writes_seconds\{kind="transactional"\} (.+)$/m.exec(text)?.[1]);
  };
  try {
    await whenReady(client, 5000);
    const keptMs = await nextHeartbeat();
    await client.save();
    const lostMs = await nextHeartbeat();
    await startAgain();
    const { from, to } = await found('Redis lost its writes of');
    expect(Date.parse(from ?? '')).toBeGreaterThanOrEqual(keptMs - 1000);
    expect(Date.parse(from ?? '')).toBeLessThan(lostMs);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(lostMs);
    expect(await seconds()).toBeGreaterThan(0);
    expect(lines.join('')).toContain('Redis lost its writes of this time');
    rmSync(path.join(redis.dir, 'dump.rdb'));
    await startAgain();
    expect(await found('Redis lost all its data at')).toMatchObject({ from: null });
  } finally {
    await closeRedis(client);
    await api.close();
    await redis.stop();
  }
}, 60_000);
