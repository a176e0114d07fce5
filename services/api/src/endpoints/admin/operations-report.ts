import { mechanism } from '@mailhook/core';
import { z } from 'zod';
import { named } from '../answers.ts';
import { SUBSCRIPTION_ID } from '../customer/subscriptions.ts';
import { accountRow, accountRowExample } from './accounts.ts';
import { count, time } from './common.ts';
import { operatorDestination, operatorDestinationExample } from './destinations.ts';

const finding = named(
  'Finding',
  z.object({
    tone: z
      .enum(['bad', 'warn'])
      .describe('bad: events are stuck, refused or at risk. warn: this may come, or is intended.'),
    text: z.string(),
    alert: z.string().optional().describe('The alert whose condition holds.'),
    href: z.string().optional().describe('Where to look: a path, or a fragment of the overview page.'),
  }),
);

const diskTask = z.enum(['write', 'rewrite', 'snapshot']);
const redisFinding = named(
  'RedisFinding',
  z.object({
    severity: z.enum(['fault', 'risk', 'unchecked']),
    about: z.enum(['settings', 'disk', 'version']),
    text: z.string(),
  }),
);
const slowScript = named('SlowScript', z.object({ script: z.string(), tookMs: z.number(), at: time }));
const queueJobs = named(
  'QueueJobs',
  z.object({
    queue: z.string(),
    waiting: count,
    active: count,
    delayed: count,
    failed: count,
    paused: count,
  }),
);
const redisReport = named(
  'RedisReport',
  z.object({
    memory: z.object({
      usedBytes: count,
      limitBytes: count.nullable().describe('null without a limit.'),
      headroom: z.number().describe('The free share of the limit, 1 without one.'),
      refusesBelow: z.number().describe('The intake refuses events below this headroom.'),
    }),
    disk: z.object({
      failing: z.array(diskTask),
      fileBytes: count.describe('Size of the append-only file.'),
      freeBytes: count.nullable().describe('null unless Redis runs on the machine of the api.'),
    }),
    version: z.string(),
    policy: z.string(),
    appendonly: z.string(),
    appendfsync: z.string(),
    replicas: count,
    clockSkewMs: z.number().describe('How far the clock of the api is ahead of the clock of Redis.'),
  }),
);
const scriptReport = named(
  'ScriptReport',
  z.object({
    calls: count.describe('Since the start of Redis.'),
    meanMs: z.number(),
    p99Ms: z.number().nullable(),
    slow: z.array(slowScript).describe('Of the last hour, newest first.'),
  }),
);
const installation = named(
  'Installation',
  z.object({
    notReady: z.array(z.string()).describe('Why this replica of the api is not ready.'),
    intake: z
      .object({ refusingSince: time.nullable(), reason: z.string().nullable() })
      .describe('As this replica of the api sees it. null while it accepts events.'),
    redis: redisReport.nullable().describe('null if Redis forbids INFO.'),
    redisFindings: z.array(redisFinding),
    scripts: scriptReport.nullable().describe('null if Redis forbids INFO.'),
    queues: z.array(queueJobs),
    hasNewRejections: z
      .boolean()
      .describe('Whether events or jobs of Redis-fed producers were rejected in the last hour.'),
  }),
);

const worker = named(
  'Worker',
  z.object({
    id: z.string(),
    kind: mechanism,
    shard: count,
    host: z.string().nullable(),
    pid: count.nullable(),
    lastHeartbeatAt: time,
    isAlive: z.boolean(),
    destinations: count.describe(
      'Destinations that it owns. An estimate if more than 10,000 have events, a pause or an open breaker.',
    ),
  }),
);
const oldestWaiting = named(
  'OldestWaiting',
  z.object({ kind: mechanism, acceptedAt: time.nullable(), destination: z.string().nullable() }),
);
const oldestReady = named('OldestReady', z.object({ kind: mechanism, acceptedAt: time.nullable() }));
const destinationCount = named('DestinationCount', z.object({ kind: mechanism, busy: count, parked: count }));
const chunkJobs = named(
  'ChunkJobs',
  z.object({ kind: mechanism, waiting: count, active: count, oldestAt: time.nullable() }),
);

export const operationsReport = named(
  'OperationsReport',
  z.object({
    time,
    shards: count.describe('`QUEUE_SHARDS`. Every shard needs a worker of each mechanism.'),
    oldestWaiting: z
      .array(oldestWaiting)
      .describe('When the oldest undelivered event of each mechanism was accepted, of those that the report reads.'),
    oldestReady: z
      .array(oldestReady)
      .describe('Since when the oldest event that could be sent now waits for a worker, per mechanism.'),
    totals: z.object({
      waiting: count.describe('Undelivered events, without those in chunk jobs.'),
      resends: count,
      parked: count,
      parkedEmpty: count.describe('Parked destinations without events.'),
      paused: count,
      late: count.describe('Other destinations with an event older than a minute.'),
      deadLetters: count,
      isComplete: z
        .boolean()
        .describe(
          'False: there are more destinations than the report reads. late and parkedEmpty are then lower bounds.',
        ),
    }),
    destinations: z
      .array(destinationCount)
      .describe(
        'Destinations with undelivered events, an open or half-open breaker, or a pause (`busy`), and parked ones.',
      ),
    chunkJobs: z.array(chunkJobs).describe('Accepted events that are not in a mailbox yet.'),
    workers: z.array(worker),
    attention: z.array(operatorDestination).describe('Destinations that are parked with events, paused or late.'),
    findings: z.array(finding).describe('Everything that needs an operator, the worst first.'),
    unjudgedAlerts: z
      .record(z.string(), z.string())
      .describe('Alerts that only Prometheus can judge, with the reason.'),
    installation,
    accounts: z.array(accountRow).describe('Those nearest to a limit first.'),
  }),
);

export const operationsReportExample = {
  time: '2026-01-01T00:04:00.000Z',
  shards: 1,
  oldestWaiting: [
    { kind: 'transactional', acceptedAt: operatorDestinationExample.oldestWaitingAt, destination: SUBSCRIPTION_ID },
    { kind: 'campaign', acceptedAt: null, destination: null },
  ],
  oldestReady: [
    { kind: 'transactional', acceptedAt: null },
    { kind: 'campaign', acceptedAt: null },
  ],
  totals: { waiting: 40, resends: 1, parked: 1, parkedEmpty: 0, paused: 0, late: 0, deadLetters: 3, isComplete: true },
  destinations: [
    { kind: 'transactional', busy: 1, parked: 1 },
    { kind: 'campaign', busy: 0, parked: 0 },
  ],
  chunkJobs: [
    { kind: 'transactional', waiting: 0, active: 0, oldestAt: null },
    { kind: 'campaign', waiting: 0, active: 0, oldestAt: null },
  ],
  workers: [
    {
      id: 'w-5c1f0a',
      kind: 'transactional',
      shard: 0,
      host: 'notifier-0',
      pid: 17,
      lastHeartbeatAt: '2026-01-01T00:03:59.200Z',
      isAlive: true,
      destinations: 1,
    },
  ],
  attention: [operatorDestinationExample],
  findings: [{ tone: 'bad', text: '1 destination is parked with events: its receiver fails.', href: '#destinations' }],
  unjudgedAlerts: { MailhookServiceDown: 'Prometheus must reach every service' },
  installation: {
    notReady: [],
    intake: { refusingSince: null, reason: null },
    redis: {
      memory: { usedBytes: 21_400_000, limitBytes: 1_073_741_824, headroom: 0.98, refusesBelow: 0.1 },
      disk: { failing: [], fileBytes: 4_800_000, freeBytes: null },
      version: '7.0.15',
      policy: 'noeviction',
      appendonly: 'yes',
      appendfsync: 'everysec',
      replicas: 1,
      clockSkewMs: 1,
    },
    redisFindings: [],
    scripts: { calls: 90_210, meanMs: 0.06, p99Ms: 0.4, slow: [] },
    queues: [{ queue: 'email-events', waiting: 0, active: 0, delayed: 0, failed: 0, paused: 0 }],
    hasNewRejections: false,
  },
  accounts: [accountRowExample],
};
