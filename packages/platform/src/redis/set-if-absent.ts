import type { Redis } from './connect.ts';

/** Sets a key for a time if it is absent. Resolves with whether it set the key. All replicas share the key. */
export async function setIfAbsent(redis: Redis, key: string, value: string, forMs: number): Promise<boolean> {
  if ((await redis.set(key, value, 'PX', forMs, 'NX')) !== null) return true;
  // After a step back of Redis's clock, the key would stay for as long as the step.
  if ((await redis.pttl(key)) > forMs) await redis.pexpire(key, forMs);
  return false;
}
