import { randomUUID } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { RedisStore } from 'rate-limit-redis';
import type { RedisReply } from 'rate-limit-redis';
import { ProblemError } from '@mailhook/platform/http-server';

/** Lets an account run one receiver check at a time, and only some a minute: each is up to six requests to a server that may be a stranger's. */
export interface CheckTurns {
  /** Runs `work` when it is the account's turn; rejects with a 429 that says when to come back otherwise. */
  run<Result>(account: string, work: () => Promise<Result>): Promise<Result>;
}

interface CheckTurnsDeps {
  /** Shared by all replicas. */
  readonly redis: Redis;
  readonly prefix: string;
  /** No check takes longer; a turn that a dying process kept is free again after that. */
  readonly longestMs: number;
  readonly checksPerMinute?: number;
}

const WINDOW_MS = 60_000;
const BUSY_RETRY_SECONDS = 10;

/** Gives back only one's own turn: another one's may have begun after this one ran out. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

export function createCheckTurns({ redis, prefix, longestMs, checksPerMinute = 6 }: CheckTurnsDeps): CheckTurns {
  const counter = new RedisStore({
    prefix: `${prefix}:receiver-checks:`,
    sendCommand: (command: string, ...args: string[]) => redis.call(command, ...args) as Promise<RedisReply>,
  });
  // The store asks its limiter for the window only.
  void counter.init({ windowMs: WINDOW_MS } as Parameters<typeof counter.init>[0]);
  return {
    async run(account, work) {
      const key = `${prefix}:receiver-check:${account}`;
      const turn = randomUUID();
      const taken = await redis.set(key, turn, 'PX', longestMs, 'NX');
      if (taken === null)
        throw tooMany('A check of this account is still running. Wait until it ends.', BUSY_RETRY_SECONDS);
      try {
        const { totalHits, resetTime } = await counter.increment(account);
        if (totalHits > checksPerMinute) throw tooMany(LIMITED, secondsUntil(resetTime));
        return await work();
      } finally {
        await redis.eval(RELEASE, 1, key, turn).catch(() => undefined);
      }
    },
  };
}

const LIMITED = 'Too many receiver checks in a minute. Mend what the last report named, then try again.';

const secondsUntil = (time: Date | undefined): number =>
  Math.max(1, Math.ceil(((time?.getTime() ?? Date.now() + WINDOW_MS) - Date.now()) / 1000));

const tooMany = (detail: string, retryAfterSeconds: number): ProblemError =>
  new ProblemError('rate_limited', { detail, headers: { 'retry-after': String(retryAfterSeconds) } });
