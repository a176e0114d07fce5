import { rateLimit } from 'express-rate-limit';
import type { Redis } from '@mailhook/platform/redis';
import { RedisStore } from 'rate-limit-redis';
import type { RedisReply } from 'rate-limit-redis';
import { ProblemError } from '@mailhook/platform/http-server';
import type { FailureLimit } from './authenticate.ts';

interface FailureLimitDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly failuresPerMinute?: number;
}

const WINDOW_MS = 60_000;

/** Limits failed sign-ins by client address. While Redis is away nobody is limited. */
export function createFailureLimit({ redis, prefix, failuresPerMinute = 60 }: FailureLimitDeps): FailureLimit {
  const limit = rateLimit({
    windowMs: WINDOW_MS,
    limit: failuresPerMinute,
    standardHeaders: false,
    legacyHeaders: false,
    passOnStoreError: true,
    // Behind a proxy that is not configured as trusted, the header is there and simply not used.
    validate: { xForwardedForHeader: false },
    store: new RedisStore({
      prefix: `${prefix}:failed-sign-ins:`,
      sendCommand: (command: string, ...args: string[]) => redis.call(command, ...args) as Promise<RedisReply>,
    }),
    handler: (_request, _response, next) => {
      next(
        new ProblemError('rate_limited', {
          detail: 'Too many failed sign-ins from this address. Check the access token and try again in a minute.',
          headers: { 'retry-after': String(WINDOW_MS / 1000) },
        }),
      );
    },
  });
  return (request, response, done) => {
    void limit(request, response, (error?: unknown) => {
      done(error instanceof Error ? error : undefined);
    });
  };
}
