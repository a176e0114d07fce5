import { SHAPES } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import type { EngineKeys } from './keys.ts';
import { engineKeys } from './keys.ts';
import type { DrainReply } from './replies.ts';
import type { AllCommands } from './commands/all.suite.ts';
import { allCommands } from './commands/all.suite.ts';
import type { FreezeLimits, NextRequest } from './commands/engine.ts';
import type { NewRecord } from './commands/manage.ts';
import { readMailbox } from './records.ts';
import type { Settle } from './settle-arguments.ts';

export const HOUR_MS = 3_600_000;
export const LIMITS: FreezeLimits = { batchMax: 1000, windowMax: 4, maxAgeMs: 72 * HOUR_MS };

/** A mailbox entry as an append writes it: accepted at a moment, with a count of events. */
export const entry = (text: string, { atMs = Date.now(), events = 1 } = {}): string =>
  `${atMs.toString(36).padStart(8, '0')}${String(events).padStart(4, '0')}${text}`;

/** A record of the account `account`. */
export const newRecord = (changes: Partial<NewRecord> = {}): NewRecord => ({
  account: 'account',
  address: 'http://127.0.0.1/',
  isActive: true,
  reason: '',
  version: 1,
  credentials: '',
  shape: SHAPES.indexOf('batch'),
  maxEvents: 1000,
  concurrency: 32,
  ...changes,
});

/** The settle of a batch with one event that was delivered. */
export const delivered = (batch: string, attempt = 1): Settle => ({ batch, attempt, delivered: 1, followUps: [] });

/** The settle of a batch with one event that is resent after a wait. */
export const failed = (
  batch: string,
  waitMs: number,
  { attempt = 1, webhookId = 'msg_1', body = '{}' } = {},
): Settle => ({
  batch,
  attempt,
  delivered: 0,
  followUps: [
    {
      type: 'resend',
      id: batch,
      webhookId,
      events: 1,
      body,
      attempt,
      error: 'no',
      waitMs,
      acceptedAtMs: 0,
      step: 1,
      search: '',
      traces: [],
    },
  ],
});

/** The token and the first batch of the first claim. */
export const firstOf = (replies: readonly DrainReply[]) => ({
  token: replies[0]?.state.owner ?? '',
  batch: replies[0]?.batches[0],
});

interface AppendOptions {
  readonly worker: string;
  readonly room: number;
  /** The first claim's number. */
  readonly claim: number;
  readonly lane: 'f' | 'u';
}

interface ScriptsRigOptions {
  readonly limits?: FreezeLimits;
  /** For tests that change Redis's settings or read its statistics. */
  readonly ownRedis?: boolean;
}

/** The functions on a real Redis, with a new prefix per test: one destination `d` of account `account`. */
export function scriptsRig(kind: Mechanism, { limits = LIMITS, ownRedis = false }: ScriptsRigOptions = {}) {
  let own: TestRedis | undefined;
  let redis: Redis;
  let keys: EngineKeys;
  let commands: AllCommands;
  beforeAll(async () => {
    if (ownRedis) own = await startRedis();
    redis = connectRedis({
      url: own?.url ?? (await testRedisUrl()),
      role: 'fail-fast',
      name: 'test',
      onError: () => undefined,
    });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await own?.stop();
  });
  beforeEach(() => {
    keys = engineKeys(uniqueName('scripts'), 0, kind);
    commands = allCommands(redis, keys);
  });

  return {
    get redis(): Redis {
      return redis;
    },
    get keys(): EngineKeys {
      return keys;
    },
    get base(): string {
      return keys.base;
    },
    get commands(): AllCommands {
      return commands;
    },
    save: (active: boolean, version: number, address = 'http://127.0.0.1/') =>
      commands.saveDestination('d', {
        ...newRecord({ address, isActive: active, reason: active ? '' : 'off', version }),
        ...(kind === 'transactional' && { shape: SHAPES.indexOf('single'), maxEvents: 1 }),
      }),
    /** Appends one group of entries as a separate chunk. */
    async append(
      entries: readonly string[],
      { worker = 'w', room = 0, claim = 1, lane = 'f' }: Partial<AppendOptions> = {},
    ) {
      const events = entries.reduce((sum, text) => sum + Number(text.slice(8, 12)), 0);
      const reply = await commands.append({
        worker,
        firstClaim: claim,
        room: { proven: room, others: room },
        jobKey: '',
        progress: uniqueName('c'),
        slice: 1,
        limits,
        groups: [{ destination: 'd', account: 'account', lane, events, entries }],
      });
      if (typeof reply === 'string') throw new Error(JSON.stringify(reply));
      return reply;
    },
    /** One step of the destination's drain. */
    async next(
      token: string,
      more: Partial<NextRequest> = {},
    ): Promise<DrainReply & { readonly follow: ReadonlySet<string> }> {
      const request = {
        destination: 'd',
        account: 'account',
        token,
        settles: [],
        window: 1,
        isReleasing: false,
        version: 1,
        revision: 1,
        inFlight: [],
        isLost: false,
        ...more,
      };
      const { replies, follow } = await commands.next([request], limits);
      return { ...(replies[0] as DrainReply), follow };
    },
    take: (worker: string, claim = 1) => commands.take(worker, claim, { proven: 1, others: 1 }, limits),
    mailbox: () => readMailbox(redis, keys, 'd'),
  };
}
