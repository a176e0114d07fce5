import type { Closeable } from '@mailhook/platform/lifecycle';
import { JobGate } from '@mailhook/platform/queue';
import { Installation } from '../mailbox/installation.ts';
import { createEngineMetrics } from '../record/metrics.ts';
import { LARGE_CHUNKS } from './limits.ts';
import { createLocalFaults } from './local-faults.ts';
import { createRuntime } from './runtime.ts';
import type { EngineOptions } from './shard.ts';
import { EngineShard } from './shard.ts';

export interface Engine extends Closeable {
  /** Why the engine cannot work, as sentences. Empty when it can. */
  readiness(): Promise<readonly string[]>;
}

/** Starts the engine of one mechanism, with one `EngineShard` per shard. Resolves when all of them take work. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const metrics = createEngineMetrics(options.metrics, options.kind);
  const { installation, connection } = options;
  const queueInstallation = new Installation(connection, installation.prefix, installation.shards);
  const runtime = createRuntime();
  const faults = createLocalFaults({ ...options, runtime });
  const shared = { faults, chunkGate: new JobGate(LARGE_CHUNKS), queueInstallation, runtime };
  const shards = installation.allKeys([options.kind]).map((keys) => new EngineShard(options, keys, metrics, shared));
  await Promise.all(shards.map((shard) => shard.start()));
  return {
    readiness: () => Promise.resolve([...shared.faults.readiness(), ...shards.flatMap((shard) => shard.readiness())]),
    close: async () => {
      await Promise.all(shards.map((shard) => shard.close()));
      await queueInstallation.close();
    },
  };
}
