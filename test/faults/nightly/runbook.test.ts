import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  cannotShiftClocks,
  eventually,
  fillDisk,
  freeDisk,
  goodReply,
  missingTool,
  unlessImpossible,
} from '@mailhook/testing';
import { textAt } from '../../../scripts/deployment/yaml.ts';
import { readAlerts } from '../../../scripts/monitoring/queries.ts';
import { hastenedAlerts } from '../rig/hasten-alerts.ts';
import { sendUnfinished } from '../rig/unfinished-requests.ts';
import { startWatchedStack } from '../rig/watched-stack.ts';
import type { WatchedStack } from '../rig/watched-stack.ts';

const ACCOUNTS = 4;
const MIB = 1024 * 1024;
/** Enough for a worker. */
const OPEN_FILES = '1024';

/** A fault, the alerts that it must raise, and the remedy of the runbook. */
interface Trial {
  readonly alerts: readonly string[];
  readonly fault: (stack: WatchedStack) => unknown;
  /** Runs again and again until the alerts fire. */
  readonly meanwhile?: (stack: WatchedStack) => unknown;
  readonly remedy: (stack: WatchedStack) => unknown;
}

const setOpenFiles = (stack: WatchedStack, files: string): unknown =>
  execFileSync('prlimit', ['--pid', String(stack.processOf('transactional-notifier').pid), `--nofile=${files}:`]);

async function setLogRoom(client: WatchedStack['client'], bytes: number): Promise<void> {
  const [state = ''] = await client.keys('*:log:state');
  await client.hset(state, 'max', bytes);
}

async function restart(stack: WatchedStack, name: 'campaign-batcher'): Promise<void> {
  await stack.processOf(name).kill();
  await stack.start(name);
}

let unfinished: ReturnType<typeof sendUnfinished> | undefined;

const TRIALS: Readonly<Record<string, Trial>> = {
  'Redis may evict events': {
    alerts: ['MailhookRedisUnsafe'],
    fault: ({ client }) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'),
    remedy: ({ client }) => client.config('SET', 'maxmemory-policy', 'noeviction'),
  },
  'the memory of Redis is full': {
    alerts: ['MailhookRedisFull', 'MailhookRedisNearlyFull', 'MailhookIntakeFailing'],
    fault: async ({ client }) => {
      const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
      await client.config('SET', 'maxmemory', String(Math.round(used * 1.08)));
    },
    meanwhile: (stack) => stack.sendToAll(),
    remedy: ({ client }) => client.config('SET', 'maxmemory', '0'),
  },
  'the disk of Redis is full': {
    alerts: ['MailhookRedisCannotWrite', 'MailhookRedisRewriteFailing'],
    fault: async ({ redis, client }) => {
      fillDisk(redis.pid);
      await client.bgrewriteaof().catch(() => undefined);
    },
    meanwhile: (stack) => stack.sendToAll(),
    remedy: async ({ redis, client }) => {
      freeDisk(redis.pid);
      await eventually(() => client.bgrewriteaof(), { what: 'a rewrite' });
    },
  },
  'the disk of Redis is slow': {
    alerts: ['MailhookRedisSyncsLate'],
    fault: ({ redis }) => redis.setSyncMs(4000),
    meanwhile: (stack) => stack.sendToAll(),
    remedy: ({ redis }) => redis.setSyncMs(0),
  },
  'Redis is away': {
    alerts: ['MailhookNotReady'],
    fault: ({ redis }) => redis.kill(),
    remedy: ({ redis }) => redis.restart(),
  },
  'a worker is gone': {
    alerts: ['MailhookServiceDown', 'MailhookNoWorker', 'MailhookMailStuck'],
    fault: async (stack) => {
      await stack.processOf('campaign-batcher').kill();
      await stack.sendToAll();
    },
    remedy: (stack) => stack.start('campaign-batcher'),
  },
  'a worker stutters': {
    alerts: ['MailhookEventLoopBlocked'],
    fault: () => undefined,
    meanwhile: async (stack) => {
      const worker = stack.processOf('transactional-notifier');
      worker.signal('SIGSTOP');
      await wait(350);
      worker.signal('SIGCONT');
    },
    remedy: () => undefined,
  },
  'somebody replaces the functions in Redis': {
    alerts: ['MailhookFunctionsReplaced'],
    fault: async (stack) => {
      const [library = []] = (await stack.client.function(
        'LIST',
        'LIBRARYNAME',
        'mailhook_*',
        'WITHCODE',
      )) as string[][];
      const text = library[library.indexOf('library_code') + 1] ?? '';
      await stack.client.function('LOAD', 'REPLACE', `${text}\n-- changed`);
      await restart(stack, 'campaign-batcher');
    },
    // Its second start finds the functions that the first one has put back.
    remedy: (stack) => restart(stack, 'campaign-batcher'),
  },
  'the api has a bug': {
    alerts: ['MailhookUnhandledRejections'],
    fault: () => undefined,
    meanwhile: (stack) => stack.processOf('api').signal('SIGUSR2'),
    remedy: () => undefined,
  },
  'a worker has no files left': {
    alerts: ['MailhookLocalFaults'],
    fault: (stack) => setOpenFiles(stack, '10'),
    meanwhile: (stack) => stack.sendToAll(),
    remedy: (stack) => setOpenFiles(stack, OPEN_FILES),
  },
  'receivers fail, and somebody removes jobs by hand': {
    alerts: [
      'MailhookDeliveriesFailing',
      'MailhookManyParked',
      'MailhookOldMail',
      'MailhookDeadLetters',
      'MailhookRepairs',
    ],
    fault: ({ receiver }) => receiver.setReply(() => ({ status: 500 })),
    meanwhile: async (stack) => {
      await stack.sendToAll();
      await stack.deadLetterJobs.clean(0, 1000, 'failed');
    },
    remedy: async (stack) => {
      stack.receiver.setReply(goodReply);
      await stack.admin('/admin/dead-letters/redrive', {});
    },
  },
  'a producer sends an invalid event, and its queue is paused': {
    alerts: ['MailhookEventsRejected', 'MailhookQueuePaused'],
    fault: async (stack) => {
      await stack.rejectedEvents.pause();
      await stack.emailEvents.add('events', { events: [{ account: 'nobody' }] });
    },
    remedy: (stack) => stack.rejectedEvents.resume(),
  },
  'producers feed Redis faster than the api takes': {
    alerts: ['MailhookRedisFedBacklog'],
    fault: async (stack) => {
      const api = stack.processOf('api');
      api.signal('SIGSTOP');
      const job = { name: 'events', data: { events: [{ account: 'nobody' }] } };
      await stack.emailEvents.addBulk(Array.from({ length: 3000 }, () => job));
      api.signal('SIGCONT');
    },
    remedy: () => undefined,
  },
  'a chunk is newer than its worker': {
    alerts: ['MailhookChunksSetAside'],
    fault: (stack) => stack.chunkJobs.add('chunk', { v: 999, groups: [] }),
    remedy: async (stack) => {
      const chunks = stack.chunkJobs;
      for (const job of await chunks.getFailed()) await job.remove();
    },
  },
  'the folder of the event log is away': {
    alerts: ['MailhookEventLogNotWritten', 'MailhookEventLogSpoolFilling'],
    fault: ({ logFolder }) => {
      renameSync(logFolder, `${logFolder}-away`);
      // No file can be put below a file.
      writeFileSync(logFolder, '');
    },
    meanwhile: (stack) => stack.sendToAll(),
    remedy: ({ logFolder }) => {
      rmSync(logFolder);
      renameSync(`${logFolder}-away`, logFolder);
    },
  },
  'Redis has no room for the event log': {
    alerts: ['MailhookEventLogGaps'],
    fault: ({ client }) => setLogRoom(client, 1),
    meanwhile: (stack) => stack.sendToAll(),
    remedy: ({ client }) => setLogRoom(client, 64 * MIB),
  },
  'bodies that never end fill the memory': {
    alerts: ['MailhookRequestsRefused'],
    fault: ({ publicPort, producerToken }) => {
      const headers = { authorization: `Bearer ${producerToken}`, 'content-type': 'application/json' };
      unfinished = sendUnfinished({ port: publicPort, path: '/v3/events', headers, bytes: 2 * MIB, count: 8 });
    },
    remedy: () => unfinished?.close(),
  },
  'somebody guesses tokens': {
    alerts: ['MailhookFailedSignIns'],
    fault: () => undefined,
    meanwhile: ({ publicPort }) =>
      fetch(`http://127.0.0.1:${publicPort}/v3/webhook/campaign`, { headers: { authorization: 'Bearer mhk_guessed' } }),
    remedy: () => undefined,
  },
  'Redis forgets its last writes': {
    alerts: ['MailhookRedisLostWrites'],
    fault: async ({ client }) => {
      const [numbers = ''] = await client.keys('*:t:beats');
      // Only the api finds it. A second finder might come after the remedy.
      const apis = (await client.hkeys(numbers)).filter((process) => process.startsWith('api_'));
      for (const api of apis) await client.hset(numbers, api, `1 ${Date.now() - 3000}`);
    },
    remedy: async ({ client }) => client.del(await client.keys('*:lost-writes')),
  },
  'somebody changes keys of the engine': {
    alerts: ['MailhookInvariantViolated'],
    fault: async ({ client }) => {
      const [beat = ''] = await client.keys('*:t:beat');
      await client.lpush(beat.replace(/beat$/, 'violations'), 'negative-sum account');
    },
    remedy: () => undefined,
  },
  'a clock is wrong': {
    alerts: ['MailhookClockSkew'],
    fault: ({ redis }) => redis.setClock(10_000),
    remedy: ({ redis }) => redis.setClock(0),
  },
};

/** The trials that run at the same time, because they do not disturb each other. */
const GROUPS = [
  ['Redis may evict events', 'a worker is gone', 'a worker has no files left'],
  [
    'receivers fail, and somebody removes jobs by hand',
    'producers feed Redis faster than the api takes',
    'a worker stutters',
  ],
  [
    'a producer sends an invalid event, and its queue is paused',
    'a chunk is newer than its worker',
    'bodies that never end fill the memory',
    'somebody guesses tokens',
    'the api has a bug',
  ],
  ['somebody replaces the functions in Redis', 'Redis forgets its last writes', 'somebody changes keys of the engine'],
  ['the folder of the event log is away'],
  ['Redis has no room for the event log'],
  ['the memory of Redis is full'],
  ['the disk of Redis is full'],
  ['the disk of Redis is slow'],
  ['Redis is away'],
  ['a clock is wrong'],
];
const POLL_MS = 100;
const WITHIN_MS = 40_000;

unlessImpossible(describe, cannotShiftClocks() ?? missingTool('prlimit'))(
  'each alert fires after its fault, and ends after the remedy',
  () => {
    let stack: WatchedStack;
    beforeAll(async () => {
      stack = await startWatchedStack(ACCOUNTS, hastenedAlerts());
    }, 120_000);
    afterAll(() => stack.close());

    const firingOf = async (alerts: readonly string[]): Promise<string[]> => {
      await wait(POLL_MS);
      const firing = await stack.prometheus.firing();
      return alerts.filter((alert) => firing.has(alert));
    };

    const untilQuiet = (alerts: readonly string[]): Promise<unknown> =>
      eventually(async () => (await firingOf(alerts)).length === 0, { withinMs: WITHIN_MS, what: 'the end' }).catch(
        async () => expect(await firingOf(alerts)).toEqual([]),
      );

    async function tryOut({ alerts, fault, meanwhile, remedy }: Trial): Promise<void> {
      await untilQuiet(alerts);
      const missing = new Set(alerts);
      await fault(stack);
      const haveFired = async (): Promise<boolean> => {
        await meanwhile?.(stack);
        for (const alert of await firingOf(alerts)) missing.delete(alert);
        return missing.size === 0;
      };
      try {
        await eventually(haveFired, { withinMs: WITHIN_MS, what: 'the alerts' }).catch(() =>
          expect([...missing]).toEqual([]),
        );
      } finally {
        await remedy(stack);
      }
      await untilQuiet(alerts);
    }

    test.each(GROUPS.map((names) => [names.join('; '), names] as const))(
      '%s',
      async (_what, names) => {
        await Promise.all(names.map((name) => tryOut(TRIALS[name] as Trial)));
      },
      2 * WITHIN_MS,
    );

    // In every run, scripts/monitoring/alerts.test.ts looks for the name of each alert in this file.
    test('no alert and no trial is left out', () => {
      expect(GROUPS.flat().sort()).toEqual(Object.keys(TRIALS).sort());
      const tried = Object.values(TRIALS).flatMap(({ alerts }) => alerts);
      const all = readAlerts().map((alert) => textAt(alert, 'alert'));
      expect(tried.sort()).toEqual(all.sort());
    });
  },
);
