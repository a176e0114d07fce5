import type { BreakerPolicy, Mechanism, SettlePolicy } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Redis } from '@mailhook/platform/redis';
import type { Tracing } from '@mailhook/platform/tracing';
import type { Sender } from './send-batch.ts';
import type { DrainPoolLimits } from './drain-pool-deps.ts';
import type { DeliveryCounter } from '../record/delivery-counter.ts';
import type { AttemptLog } from '../record/attempt-log.ts';

export type EngineLimits = Omit<DrainPoolLimits, 'maxAgeMs'>;

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
