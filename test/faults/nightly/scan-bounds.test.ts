import { SHAPES } from '@mailhook/core';
import { engineKeys, Installation } from '@mailhook/delivery';
import {
  countUndelivered,
  createAccountUsages,
  createBreakerScans,
  createDestinationLists,
  createEngineGauges,
  createOverview,
} from '@mailhook/insight';
import { createMetrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { TestRedis } from '@mailhook/testing';
import { startRedis, uniqueName } from '@mailhook/testing';
import type { AllCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import { Reconciler } from '../../../packages/delivery/src/deliver/reconciler.ts';
import { createRuntime } from '../../../packages/delivery/src/deliver/runtime.ts';
import { allCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import { entry, LIMITS, newRecord } from '../../../packages/delivery/src/mailbox/mailbox-rig.suite.ts';

/** More mailboxes, and more accounts, than any scan looks through. */
const FEW = 110_000;
const MANY = 300_000;
const PER_ACCOUNT = 10;
const HOUR_MS = 3_600_000;
const PER_CALL = 500;
const GROWTH_MAX = 1.1;
/** Of commands and of kilobytes. Redis ends a page of a scan where its hash table does. */
const SLACK = 5;

interface Cost {
  readonly commands: number;
  readonly kilobytes: number;
}

/** For what looks through all mailboxes, or a part of them. */
const perMailbox = ({ commands, kilobytes }: Cost, count: number): Cost => ({
  commands: (commands * FEW) / count,
  kilobytes: (kilobytes * FEW) / count,
});

/** What operators' pages, metrics and heartbeats read does not grow with the number of destinations. */
describe('bounds of what scans', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'worker', name: 'bounds', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  /** Destinations that all wait with one event, ten per account. A hundred of them have a worker that died. */
  async function fill(prefix: string, count: number): Promise<AllCommands> {
    const commands = allCommands(redis, engineKeys(prefix, 0, 'transactional'));
    // Old enough for every list of what needs attention.
    const old = entry('{}', { atMs: Date.now() - HOUR_MS });
    const record = { ...newRecord(), shape: SHAPES.indexOf('single'), maxEvents: 1 };
    for (let from = 0; from < count; from += PER_CALL) {
      const ids = Array.from({ length: PER_CALL }, (_, i) => from + i);
      const accountOf = (i: number): string => `account-${Math.floor(i / PER_ACCOUNT)}`;
      await Promise.all(ids.map((i) => commands.saveDestination(`d${i}`, { ...record, account: accountOf(i) })));
      await commands.append({
        worker: 'w',
        firstClaim: 1,
        room: { proven: 0, others: from === 0 ? 100 : 0 },
        jobKey: '',
        progress: `c${from}`,
        slice: 1,
        limits: LIMITS,
        groups: ids.map((i) => ({
          destination: `d${i}`,
          account: accountOf(i),
          lane: 'f',
          events: 1,
          entries: [old],
        })),
      });
    }
    return commands;
  }

  async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    await redis.config('RESETSTAT');
    await work();
    const calls = [...(await redis.info('commandstats')).matchAll(/^cmdstat_(?!config|info)\S+:calls=(\d+)/gm)];
    const bytes = Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    return { commands: calls.reduce((sum, [, count]) => sum + Number(count), 0), kilobytes: Math.round(bytes / 1024) };
  }

  async function measure(count: number): Promise<Readonly<Record<string, Cost>>> {
    const prefix = uniqueName('bounds');
    const commands = await fill(prefix, count);
    const installation = new Installation(redis, prefix, 1);
    const metrics = createMetrics();
    createEngineGauges({ metrics, installation, kinds: ['campaign', 'transactional'] });
    const lists = createDestinationLists(installation);
    const usages = createAccountUsages(installation);
    const scans = createBreakerScans(installation);
    let lostClaims = 0;
    const reconciler = new Reconciler({
      runtime: createRuntime(),
      redis,
      chunks: installation.queue('transactional-chunks', 0),
      keys: engineKeys(prefix, 0, 'transactional'),
      worker: 'another',
      commands,
      pool: {
        owns: () => false,
        get lostClaims() {
          return lostClaims;
        },
      },
      jobs: { addDeactivation: () => Promise.resolve(), addDeadLetters: () => Promise.resolve() },
      waitingMaxAgeMs: 2 * HOUR_MS,
      observer: { repaired: () => undefined, givenUp: () => undefined },
    });
    try {
      await commands.heartbeat('w', 60_000, 500);
      // Every account has as many events, so that the estimate must be right, too.
      expect(Math.abs((await countUndelivered(installation)) / count - 1)).toBeLessThan(0.001);
      return {
        overview: await costOf(createOverview(installation)),
        'heaviest accounts': await costOf(() => usages.heaviest(10)),
        'one account': await costOf(() => usages.read('account-1')),
        metrics: await costOf(() => metrics.registry.metrics()),
        'first page of waiting destinations': await costOf(() => lists.list('waiting', { limit: 50 })),
        'first page of parked destinations': await costOf(() => lists.list('parked', { limit: 50 })),
        'a page of breakers': await costOf(() => Promise.all(scans.map((one) => one.parked('0', 100)))),
        'a run of the reconciler, per mailbox': perMailbox(await costOf(() => reconciler.run()), count),
        'a look for lost claims, per mailbox': perMailbox(
          await costOf(() => {
            lostClaims += 1;
            return reconciler.returnLostClaims();
          }),
          count,
        ),
        heartbeat: await costOf(() => commands.heartbeat('w', 60_000, 500)),
        'heartbeat that takes over': await costOf(async () => {
          await commands.heartbeat('w', 0, 500);
          await commands.heartbeat('other', 60_000, 500);
        }),
        'a changed destination': await costOf(() => commands.saveDestination('d1', newRecord({ version: 2 }))),
      };
    } finally {
      await installation.close();
    }
  }

  test(`cost as much with ${MANY} waiting destinations as with ${FEW}`, async () => {
    const few = await measure(FEW);
    await redis.flushall();
    const many = await measure(MANY);
    const lines = Object.entries(many).map(([what, cost]) => ({ what, few: few[what], many: cost }));
    process.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    const grown = lines.filter(
      ({ few: before, many: after }) =>
        before === undefined ||
        after.commands > before.commands * GROWTH_MAX + SLACK ||
        after.kilobytes > before.kilobytes * GROWTH_MAX + SLACK,
    );
    expect(grown).toEqual([]);
  }, 900_000);
});
