import type { BreakerPolicy, Mechanism, SettlePolicy } from '@mailhook/core';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Redis } from 'ioredis';
import type { Sender } from './drain/attempt.ts';
import type { DrainPoolLimits } from './drain/drain-pool.ts';
import { createEngineGauges } from './engine-gauges.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import { EngineShard } from './engine-shard.ts';
import type { AttemptLog } from './ports.ts';

export interface EngineOptions {
  readonly kind: Mechanism;
  readonly queuePrefix: string;
  readonly shards: number;
  /** For scripts: rejects at once while Redis is away; the engine itself repeats what failed. */
  readonly redis: Redis;
  /** For BullMQ's workers, and for subscriptions (duplicated): waits for Redis to come back. */
  readonly connection: Redis;
  readonly sender: Sender;
  readonly settlePolicy: SettlePolicy;
  readonly breakerPolicy: BreakerPolicy;
  readonly limits: DrainPoolLimits;
  readonly waitingMaxAgeMs: number;
  readonly deliveryTimeoutMs: number;
  readonly attemptLog: AttemptLog;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

export interface Engine extends Closeable {
  /** Why the engine is not at work, in sentences; empty when all is well. */
  readiness(): Promise<readonly string[]>;
}

/** Starts the engine of one mechanism, a shard's engine for every shard. Resolves when all of them take work. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const metrics = createEngineMetrics(options.metrics, options.kind);
  createEngineGauges(options);
  const shards = Array.from({ length: options.shards }, (_, shard) => new EngineShard(options, shard, metrics));
  await Promise.all(shards.map((shard) => shard.start()));
  return {
    readiness: () => Promise.resolve(shards.flatMap((shard) => shard.readiness())),
    close: async () => {
      await Promise.all(shards.map((shard) => shard.close()));
    },
  };
}
