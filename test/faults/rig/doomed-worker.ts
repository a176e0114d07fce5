import {
  createAttemptRecorder,
  commandOf,
  createReceiverClient,
  createSender,
  Installation,
  startEngine,
} from '@mailhook/delivery';
import { createLogger } from '@mailhook/platform/logger';
import { createSealing } from '@mailhook/platform/sealing';
import { createMetrics } from '@mailhook/platform/metrics';
import { connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { DoomedWorkerOptions } from './doomed.ts';
import { readingBothFormats, useToyFormat } from './toy-format.ts';

/**
 * A worker in a separate process. It kills itself with SIGKILL when Redis has executed a certain command for the nth
 * time, before the worker acts on the reply. The engine is the real one. Only its connection to Redis is watched.
 */
async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? '{}') as DoomedWorkerOptions;
  const { kind, redisUrl, queuePrefix, scheduleMs, clockAheadMs = 0, toyFormat } = options;
  const now = Date.now.bind(Date);
  if (clockAheadMs !== 0) Date.now = () => now() + clockAheadMs;
  const onError = (): void => undefined;
  if (toyFormat !== undefined) useToyFormat(toyFormat);
  const client = connectRedis({ url: redisUrl, role: 'fail-fast', name: 'doomed', onError });
  const redis = toyFormat === undefined ? client : readingBothFormats(client);
  const connection = connectRedis({ url: redisUrl, role: 'worker', name: 'doomed-jobs', onError });
  await Promise.all([whenReady(redis, 10_000), whenReady(connection, 10_000)]);
  const egress = { allowPrivate: true, allowCidrs: [], deniedPorts: [] };
  const receiverClient = createReceiverClient({ timeoutMs: 5000, replyCapBytes: 1_048_576, egress });
  const engine = await startEngine({
    kind,
    installation: new Installation(dyingAfter(redis, options), queuePrefix, 1),
    connection,
    sender: createSender({ client: receiverClient, sealing: createSealing([]) }),
    settlePolicy: { retry: { scheduleMs, jitter: 0 }, partialAck: 'unconfirmed', poisonSplit: true },
    breakerPolicy: { failures: 1000, parkMaxMs: 60_000 },
    limits: {
      slots: 256,
      windowMax: 16,
      batchMax: 100,
      sliceMs: 250,
      ownedMax: 4096,
      inFlightCharsMax: 64_000_000,
    },
    waitingMaxAgeMs: 3_600_000,
    eventIdWindowMs: 3_600_000,
    deliveryTimeoutMs: 5000,
    attemptLog: createAttemptRecorder(new Installation(redis, queuePrefix, 1), { onError }),
    history: { count: () => undefined },
    metrics: createMetrics(),
    logger: createLogger({ level: 'error', service: 'doomed' }),
  });
  process.once('SIGTERM', () => void engine.close().then(() => process.exit(0)));
}

/** The same connection, but the process dies when it receives the nth reply of one command. */
function dyingAfter(redis: Redis, { command, call = 1 }: DoomedWorkerOptions): Redis {
  let calls = 0;
  return new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (name !== 'fcall' && name !== 'callBuffer') return method;
      return async (...args: unknown[]) => {
        const reply = await method(...args);
        // Either `fcall(name, ...)` or `callBuffer("FCALL", name, ...)`.
        if (commandOf(String(args[name === 'fcall' ? 0 : 1])) !== command) return reply;
        calls += 1;
        if (calls >= call) process.kill(process.pid, 'SIGKILL');
        return reply;
      };
    },
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
