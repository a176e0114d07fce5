import type { RefusedRequests } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';

/** Without the label of the token. */
type Refused = Omit<RefusedRequests, 'label'>;

/** Requests of producers that the intake refused, by producer and code. Their bodies are not kept. */
export interface Refusals extends Closeable {
  /** Counts an error of the intake. One that is not the producer's fault is not counted. */
  note(producer: string, error: unknown): void;
  /** Of the last hour, the most first. Rejects while Redis is away. */
  read(nowMs: number): Promise<readonly Refused[]>;
}

interface RefusalsDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

const WRITE_EVERY_MS = 1000;
const MINUTE_MS = 60_000;
const MINUTES = 60;
const KEPT_S = (MINUTES + 1) * 60;

/**
 * A hash per minute with a field per producer and code, so it is as small as the list of tokens. Counts of a second
 * are written together, because a producer that is refused may send a lot.
 */
export function createRefusals({ redis, prefix, logger }: RefusalsDeps): Refusals {
  const keyOf = (minute: number): string => `${prefix}:refusals:${minute}`;
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const write = async (): Promise<void> => {
    timer = undefined;
    const written = [...counts];
    counts.clear();
    if (written.length === 0) return;
    const key = keyOf(Math.floor(Date.now() / MINUTE_MS));
    try {
      const changes = written.map(([field, count]) => redis.hincrby(key, field, count));
      await Promise.all([...changes, redis.expire(key, KEPT_S)]);
    } catch (error) {
      logger.warn('counts of refused requests could not be written', { error });
    }
  };
  return {
    note(producer, error) {
      if (!(error instanceof ProblemError) || error.status >= 500) return;
      const field = JSON.stringify([producer, error.code]);
      counts.set(field, (counts.get(field) ?? 0) + 1);
      timer ??= setTimeout(() => void write(), WRITE_EVERY_MS).unref();
    },
    async read(nowMs) {
      const last = Math.floor(nowMs / MINUTE_MS);
      const minutes = Array.from({ length: MINUTES }, (_, i) => last - i);
      const found = await Promise.all(minutes.map((minute) => redis.hgetall(keyOf(minute))));
      return sumsOf(
        found.flatMap((fields, i) => Object.entries(fields).map((one) => [...one, minutes[i] ?? 0] as const)),
      );
    },
    close: async () => {
      clearTimeout(timer);
      await write();
    },
  };
}

/** `counts`: the newest minutes first. */
function sumsOf(counts: readonly (readonly [field: string, count: string, minute: number])[]): Refused[] {
  const sums = new Map<string, Refused>();
  for (const [field, count, minute] of counts) {
    const [producer, code] = JSON.parse(field) as [string, Refused['code']];
    const { requests = 0, lastAt = new Date(minute * MINUTE_MS).toISOString() } = sums.get(field) ?? {};
    sums.set(field, { producer, code, requests: requests + Number(count), lastAt });
  }
  return [...sums.values()].sort((a, b) => b.requests - a.requests);
}
