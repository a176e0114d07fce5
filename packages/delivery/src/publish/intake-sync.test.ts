import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { startOldRedis } from '@mailhook/testing';
import { openIntakeSync } from './intake-sync.ts';

const connect = async (url: string) => {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  return redis;
};

test('the default waits for nothing, and a Redis without WAITAOF ends the start with what to do', async () => {
  const old = await startOldRedis('7.0.15');
  const redis = await connect(old.url);
  expect(await openIntakeSync(redis, 'mailhook', 'memory')).toBeUndefined();
  await expect(openIntakeSync(redis, 'mailhook', 'disk')).rejects.toThrow(
    'INTAKE_DURABILITY=disk needs WAITAOF, which Redis has since 7.2, and Valkey; this one is 7.0.15.',
  );
  await closeRedis(redis);
  await old.close();
});
