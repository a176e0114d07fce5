import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';

/**
 * A heartbeat as Redis told it: its number, its time, and the time of the first one since Redis has loaded its data. In
 * Unix milliseconds.
 */
export interface Heartbeat {
  readonly number: number;
  readonly atMs: number;
  readonly loadedAtMs: number;
}

export interface HeartbeatOptions {
  /** `<host name> <pid>`, for operators. */
  readonly host?: string;
  /** The worker's last heartbeat. */
  readonly last?: Heartbeat | undefined;
  /** A resend that is due later is brought forward: the clock of Redis went back. */
  readonly longestWaitMs?: number;
}

/** Writes that Redis has lost: Unix milliseconds of the first and the last. `fromMs` is 0 if it lost everything. */
export interface LostWrites {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Which number Redis gave a heartbeat, and what it showed. */
export interface NumberedHeartbeat {
  readonly heartbeat: Heartbeat;
  /** For the first process that finds them. */
  readonly lostWrites: LostWrites | undefined;
}

export interface HeartbeatReply extends NumberedHeartbeat {
  /** Destinations that wait for a worker. */
  readonly waiting: { readonly proven: number; readonly others: number };
  /** Mailboxes of dead workers that are back on the ready lists. */
  readonly moved: number;
  /** Whether no dead worker is left. */
  readonly whole: boolean;
  /** Wake-ups that the heartbeat did in place of a lost job. */
  readonly lost: { readonly resends: number; readonly parkings: number };
  readonly violations: readonly Violation[];
  readonly isLogOn: boolean;
}

/** Something that cannot be, unless Redis ran half of a command or somebody changed its keys. */
export interface Violation {
  /** `extra-entries`, `missing-entries` (of a lane), `negative-sum`, or `sum-without-mailbox` (of an account). */
  readonly what: string;
  /** The destination or account. */
  readonly name: string;
}

export type NumberReply = readonly [
  heartbeat: readonly [number: number, atMs: number, loadedAtMs: number],
  lost: readonly [fromMs: number, toMs: number] | readonly [],
];

export function readNumber([[number, atMs, loadedAtMs], [fromMs, toMs]]: NumberReply): NumberedHeartbeat {
  return {
    heartbeat: { number, atMs, loadedAtMs },
    lostWrites: fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs },
  };
}

export function readHeartbeat(reply: unknown): HeartbeatReply {
  const [[proven, others], moved, whole, [resends, parkings], heartbeat, lost, violations, isLogOn] = reply as [
    [number, number],
    number,
    number,
    [number, number],
    NumberReply[0],
    NumberReply[1],
    string[],
    number,
  ];
  return {
    waiting: { proven, others },
    moved,
    whole: whole === 1,
    lost: { resends, parkings },
    ...readNumber([heartbeat, lost]),
    violations: violations.map((text) => {
      const [what = ''] = text.split(' ', 1);
      return { what, name: text.slice(what.length + 1) };
    }),
    isLogOn: isLogOn === 1,
  };
}

const timeOf = (ms: number): string => (ms === 0 ? 'its start' : new Date(ms).toISOString());

export function logLostWrites(
  logger: Pick<Logger, 'error'>,
  { kind, shard }: Pick<EngineKeys, 'kind' | 'shard'>,
  { fromMs, toMs }: LostWrites,
): void {
  logger.error('Redis lost its writes of this time: events accepted then may be missing, and results may come again', {
    kind,
    shard,
    from: timeOf(fromMs),
    to: timeOf(toMs),
  });
}

/** What heartbeats found. Undefined if they found no lost writes, or over a day ago. */
export async function readLostWrites(redis: Redis, keys: EngineKeys): Promise<LostWrites | undefined> {
  const [fromMs, toMs] = (await redis.get(keys.lostWrites))?.split(' ').map(Number) ?? [];
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs };
}
