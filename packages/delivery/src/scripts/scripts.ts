import type { BreakerState, SplitStage } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../keys.ts';
import { defineCommands } from './commands.ts';
import type { ScriptName } from './commands.ts';
import { readReply } from './drain-reply.ts';
import type { DrainReply, Reply } from './drain-reply.ts';

/** `[type, id, webhookId, step, refusedOnly, split, events, attempt, error, waitMs, body argument, acceptedAt, search, traces]`: x resend, q send now, d dead letter. */
export type FollowUpTuple = [
  'x' | 'q' | 'd',
  string,
  string,
  number,
  0 | 1,
  SplitStage,
  number,
  number,
  string,
  number,
  number,
  string,
  string,
  string?,
];

/** `[batch id, events delivered, follow-ups, attempt]`. Bodies are named by their place among the call's bodies, from 0. */
export type SettleTuple = [string, number, FollowUpTuple[], number];

export interface NextRequest {
  readonly destination: string;
  readonly token: string;
  readonly settles: readonly SettleTuple[];
  /** How many more batches may be in flight. */
  readonly slots: number;
  readonly batchMax: number;
  readonly leaving: boolean;
  /** The breaker after what the drain saw, for the version of the record it sent to. */
  readonly breaker: (BreakerState & { readonly version: string }) | undefined;
  readonly gone: { readonly version: string; readonly reason: string } | undefined;
  /** How many batches are in flight; after a call whose reply was lost their ids: what was frozen then is handed out again. */
  readonly inFlight: number | readonly string[];
  /** The destination's size limit (`sizeLimitText`), for the version of the record that it was learnt from. */
  readonly size?: { readonly version: string; readonly text: string } | undefined;
}

/** A step of giving up what waits at a destination. */
export interface Purged {
  /** There is more. */
  readonly again: boolean;
  /** Events that became dead letters, and events that were dropped because their destination was deleted. */
  readonly dead: number;
  readonly dropped: number;
  readonly letters: readonly { readonly id: string; readonly events: number; readonly attempts: number }[];
  readonly account: string;
  readonly reason: string;
}

/** One group of an append: elements already carry their time and count. */
export interface AppendGroup {
  readonly destination: string;
  readonly account: string;
  readonly lane: 'f' | 'u';
  readonly events: number;
  readonly elements: readonly string[];
}

/** Why an operator's action cannot be. */
type NotPossible = 'unknown' | 'inactive';

export type Scripts = ReturnType<typeof createScripts>;

/** The engine's scripts on one mechanism and shard, each an atomic step. Rejects with what ioredis rejects with. */
export function createScripts(redis: Redis, keys: EngineKeys) {
  const commands = defineCommands(redis);
  const run = (name: ScriptName, ...args: (string | number)[]) => commands[name](keys.base, keys.shared, ...args);
  return {
    async append(o: {
      worker: string;
      firstClaim: number;
      room: number;
      jobKey: string;
      mark: string;
      part: number;
      batchMax: number;
      groups: readonly AppendGroup[];
    }): Promise<'gone' | 'again' | { claims: number; dropped: number; replies: DrainReply[]; mine: string[] }> {
      const args: (string | number)[] = [o.worker, o.firstClaim, o.room, o.jobKey, o.mark, o.part, o.batchMax];
      for (const group of o.groups) {
        args.push(group.destination, group.account, group.lane, group.events, group.elements.length, ...group.elements);
      }
      const reply = (await run('mailhookAppend', ...args)) as 'gone' | 'again' | [number, number, Reply[], string[]];
      return typeof reply === 'string'
        ? reply
        : { claims: reply[0], dropped: reply[1], replies: reply[2].map(readReply), mine: reply[3] };
    },

    /** Positions of the ids that another chunk has claimed within 24 h. */
    async claimIds(chunk: string, ids: readonly { account: string; id: string }[]): Promise<ReadonlySet<number>> {
      const duplicates = (await run(
        'mailhookClaimIds',
        chunk,
        ...ids.flatMap(({ account, id }) => [account, id]),
      )) as number[];
      return new Set(duplicates);
    },

    async next(requests: readonly NextRequest[], bodies: readonly string[]): Promise<DrainReply[]> {
      const rows = requests.map((r) => [
        r.destination,
        r.token,
        r.settles,
        r.slots,
        r.batchMax,
        r.leaving ? 1 : 0,
        r.breaker === undefined
          ? null
          : [r.breaker.failures, r.breaker.parkMs, remainingOf(r.breaker.parkedUntilMs), r.breaker.version],
        r.gone === undefined ? null : [r.gone.version, r.gone.reason],
        r.inFlight,
        r.size === undefined ? null : [r.size.version, r.size.text],
      ]);
      const replies = (await run('mailhookNext', JSON.stringify(rows), ...bodies)) as Reply[];
      return replies.map(readReply);
    },

    async take(worker: string, firstClaim: number, atMost: number, batchMax: number) {
      const [waiting, claims, replies] = (await run('mailhookTake', worker, firstClaim, atMost, batchMax)) as [
        number,
        number,
        Reply[],
      ];
      return { waiting, claims, replies: replies.map(readReply) };
    },

    /** `leaseMs` 0 gives the lease up. */
    async beat(worker: string, leaseMs: number) {
      const [waiting, moved, whole] = (await run('mailhookBeat', worker, leaseMs)) as [number, number, number];
      return { waiting, moved, whole: whole === 1 };
    },

    async abandon(destination: string, token: string): Promise<boolean> {
      return (await run('mailhookAbandon', destination, token)) === 1;
    },

    /** Redis's time, Unix milliseconds: what its keys say of times is by this clock. */
    async nowMs(): Promise<number> {
      return (await run('mailhookNow')) as number;
    },

    async wake(destination: string, resend = ''): Promise<boolean> {
      return (await run('mailhookWake', destination, resend)) === 1;
    },

    async purge(o: {
      destination: string;
      token: string;
      idPrefix: string;
      beforeMs?: number;
      reason: string;
    }): Promise<Purged | undefined> {
      const reply = (await run('mailhookPurge', o.destination, o.token, o.idPrefix, o.beforeMs ?? '', o.reason)) as
        'refused' | [number, number, number, [string, number, number][], string, string];
      if (reply === 'refused') return undefined;
      const [again, dead, dropped, letters, account, reason] = reply;
      return {
        again: again === 1,
        dead,
        dropped,
        letters: letters.map(([id, events, attempts]) => ({ id, events, attempts })),
        account,
        reason,
      };
    },

    async saveDestination(destination: string, record: readonly (string | number)[]): Promise<boolean> {
      return (await run('mailhookSave', destination, ...record)) === 1;
    },

    async removeDestination(destination: string): Promise<void> {
      await run('mailhookRemove', destination);
    },

    async redrive(deadLetter: string, resend: string): Promise<boolean> {
      return (await run('mailhookRedrive', deadLetter, resend)) === 1;
    },

    /** Operators' actions: see `operator.lua.ts`. */
    async pause(destination: string, untilMs: number): Promise<'paused' | NotPossible> {
      return (await run('mailhookPause', destination, untilMs)) as 'paused' | NotPossible;
    },

    async resume(destination: string): Promise<'resumed' | 'not paused' | NotPossible> {
      return (await run('mailhookResume', destination)) as 'resumed' | 'not paused' | NotPossible;
    },

    async probe(destination: string): Promise<'probed' | 'paused' | 'not parked' | NotPossible> {
      return (await run('mailhookProbe', destination)) as 'probed' | 'paused' | 'not parked' | NotPossible;
    },

    async drop(destination: string): Promise<'dropped' | 'empty' | NotPossible> {
      return (await run('mailhookDrop', destination)) as 'dropped' | 'empty' | NotPossible;
    },
  };
}

/** Times cross to Redis as what is left of them: its clock and a worker's differ. */
const remainingOf = (untilMs: number): number => (untilMs === 0 ? -1 : Math.max(0, untilMs - Date.now()));

/** Body arguments of `next` stand behind the JSON: the script sees the first as ARGV[2]. */
export const bodyArgument = (position: number): number => position + 2;
