import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';

/** A worker of one mechanism and shard. */
export interface WorkerRecord {
  readonly id: string;
  /** By the time of the commands, in Unix milliseconds. 0 if it gave up its lease. */
  readonly leaseUntilMs: number;
  /** Null for a worker without a name. */
  readonly host: string | null;
  readonly pid: number | null;
}

/** Workers with a lease, then those that were lost within a day. */
export async function readWorkers(redis: Redis, keys: EngineKeys): Promise<readonly WorkerRecord[]> {
  const [current, lost, hosts] = await Promise.all([
    redis.zrange(keys.workers, '0', '-1', 'WITHSCORES'),
    redis.zrange(keys.lost, '0', '-1', 'WITHSCORES'),
    redis.hgetall(keys.hosts),
  ]);
  const rows = [...current, ...lost];
  return rows.flatMap((id, i) => {
    if (i % 2 === 1) return [];
    const [host = null, pid] = hosts[id]?.split(' ') ?? [];
    return [{ id, leaseUntilMs: Math.max(0, Number(rows[i + 1])), host, pid: pid === undefined ? null : Number(pid) }];
  });
}
