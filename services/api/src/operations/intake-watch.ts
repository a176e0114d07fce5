import { createNumberedHeartbeats } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import { isDiskRefusal, isMemoryNearlyFull, NEARLY_FULL } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { Logger } from '@mailhook/platform/logger';

interface IntakeRefusal {
  readonly sinceMs: number;
  /** A clause without a full stop. */
  readonly reason: string;
}

/**
 * Knows why the intake of this process refuses the events of all accounts, or of a shard whose server takes no writes,
 * also while no producer sends any.
 */
export interface IntakeWatch extends Closeable {
  /** Undefined while the intake accepts events. */
  refusal(): IntakeRefusal | undefined;
}

const CHECK_EVERY_MS = 1000;

/** Each check is a write: a heartbeat, which also finds what Redis has lost. */
export function watchIntake(installation: Installation, logger: Logger): IntakeWatch {
  const heartbeat = createNumberedHeartbeats(installation, CHECK_EVERY_MS, logger);
  let refusal: IntakeRefusal | undefined;
  const check = async (): Promise<void> => {
    const reason = await whyRefused(installation.redis, heartbeat);
    // The time stays while the reason changes, as when a full disk ends Redis.
    refusal = reason === undefined ? undefined : { sinceMs: refusal?.sinceMs ?? Date.now(), reason };
  };
  const checking = every(CHECK_EVERY_MS, check, 'now');
  return {
    refusal: () => refusal,
    close: () => {
      // Without waiting for a Redis that is away.
      void checking.close();
      return Promise.resolve();
    },
  };
}

/** Never rejects. */
async function whyRefused(redis: Redis, write: () => Promise<void>): Promise<string | undefined> {
  let isNearlyFull: boolean;
  try {
    [, isNearlyFull] = await Promise.all([write(), isMemoryNearlyFull(redis)]);
  } catch (error) {
    if (isDiskRefusal(error)) return 'Redis cannot write to its disk';
    const message = error instanceof Error ? error.message : String(error);
    if (message.startsWith('OOM')) return 'Redis has reached its maxmemory';
    const code = /^[A-Z]+(?= )/.exec(message)?.[0];
    return code === undefined ? 'Redis does not answer' : `Redis does not accept writes (${code})`;
  }
  if (!isNearlyFull) return undefined;
  return `Redis has less than ${Math.round((1 - NEARLY_FULL) * 100)} % of its maxmemory left`;
}
