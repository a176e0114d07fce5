import type { Closeable } from '@mailhook/platform/lifecycle';
import { JobGate } from '@mailhook/platform/queue';
import { createEngineGauges } from './engine-gauges.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import type { EngineOptions } from './engine-options.ts';
import { EngineShard } from './engine-shard.ts';

export interface Engine extends Closeable {
  /** Why the engine is not at work, in sentences; empty when all is well. */
  readiness(): Promise<readonly string[]>;
}

/** Bytes of large chunk jobs in memory at once: parsed, a job takes several times its size. */
const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

/** Starts the engine of one mechanism, a shard's engine for every shard. Resolves when all of them take work. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const metrics = createEngineMetrics(options.metrics, options.kind);
  createEngineGauges({ ...options, kinds: [options.kind] });
  const gate = new JobGate(CHUNK_BYTES_MAX);
  const shards = Array.from({ length: options.shards }, (_, shard) => new EngineShard(options, shard, metrics, gate));
  await Promise.all(shards.map((shard) => shard.start()));
  return {
    readiness: () => Promise.resolve(shards.flatMap((shard) => shard.readiness())),
    close: async () => {
      await Promise.all(shards.map((shard) => shard.close()));
    },
  };
}
