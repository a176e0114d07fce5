import type { BreakerPolicy, Mechanism, SettlePolicy } from '@mailhook/core';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { JobGate } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { Tracing } from '@mailhook/platform/tracing';
import { createEngineGauges } from '../inspect/gauges.ts';
import type { AttemptLog } from '../record/attempt-log.ts';
import type { DeliveryCounter } from '../record/delivery-counter.ts';
import { createEngineMetrics } from '../record/metrics.ts';
import { LARGE_CHUNKS } from './limits.ts';
import { createLocalFaults } from './local-faults.ts';
import type { PoolLimits } from './pool.ts';
import type { Sender } from './send.ts';
import { EngineShard } from './shard.ts';

export type EngineLimits = Omit<PoolLimits, 'maxAgeMs'>;

/** Settings and dependencies of an engine. */
export interface EngineOptions {
  readonly kind: Mechanism;
  readonly queuePrefix: string;
  readonly shards: number;
  /** For scripts. Rejects at once while Redis is away, and the engine repeats the call. */
  readonly redis: Redis;
  /** For BullMQ's workers and, duplicated, for subscriptions. Waits for Redis to come back. */
  readonly connection: Redis;
  readonly sender: Sender;
  readonly settlePolicy: SettlePolicy;
  readonly breakerPolicy: BreakerPolicy;
  readonly limits: EngineLimits;
  readonly waitingMaxAgeMs: number;
  readonly deliveryTimeoutMs: number;
  readonly attemptLog: AttemptLog;
  readonly history: Pick<DeliveryCounter, 'count'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Gets a span per attempt if its events have a trace context. Without it, no spans are written. */
  readonly tracing?: Tracing | undefined;
}

export interface Engine extends Closeable {
  /** Why the engine cannot work, as sentences. Empty when it can. */
  readiness(): Promise<readonly string[]>;
}

/** Starts the engine of one mechanism, with one `EngineShard` per shard. Resolves when all of them take work. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const metrics = createEngineMetrics(options.metrics, options.kind);
  createEngineGauges({ ...options, kinds: [options.kind] });
  const shared = { faults: createLocalFaults(options), chunkGate: new JobGate(LARGE_CHUNKS) };
  const shards = Array.from({ length: options.shards }, (_, shard) => new EngineShard(options, shard, metrics, shared));
  await Promise.all(shards.map((shard) => shard.start()));
  return {
    readiness: () => Promise.resolve([...shared.faults.readiness(), ...shards.flatMap((shard) => shard.readiness())]),
    close: async () => {
      await Promise.all(shards.map((shard) => shard.close()));
    },
  };
}
