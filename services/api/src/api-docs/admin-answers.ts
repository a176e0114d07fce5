import { access, account, createdToken, deadLetter, destinationStatus, mechanism } from '@mailhook/core';
import { z } from 'zod';

/**
 * Answers of the admin API. Tests compare their types with the types of the real answers, and their shapes with the
 * answers themselves.
 */

const time = z.string().describe('ISO 8601, in UTC.');
const count = z.int();

export const operatorDestination = z
  .object({
    id: z.string().describe('A subscription id, or campaign-<account>.'),
    kind: mechanism,
    account: z.string(),
    address: z.string(),
    state: z
      .enum(['inactive', 'paused', 'parked', 'sending', 'waiting', 'idle'])
      .describe(
        'paused by a person, parked by its breaker, sending (owned by a worker), waiting for a worker or a resend, idle without events.',
      ),
    waiting: count.describe('New events that are not in flight, and the events of all resends.'),
    undelivered: count.describe('`waiting`, and the new events in flight.'),
    resends: count.describe('Failed batches and notifications that are sent again.'),
    inFlight: count.describe('Batches and notifications in flight.'),
    failures: count.describe('Failures in a row.'),
    lastHour: destinationStatus.shape.lastHour,
    breaker: z.enum(['closed', 'open', 'half-open']),
    inactiveReason: z.string().optional(),
    parkedUntil: time.optional(),
    pausedUntil: time.optional(),
    pausedBy: z.enum(['customer', 'operator']).optional(),
    nextResendAt: time.optional(),
    oldestWaitingAt: time
      .optional()
      .describe('When the oldest waiting event was accepted. With over 100 resends, it may be earlier.'),
    lastError: z.string().optional().describe('With masked addresses of recipients.'),
  })
  .describe('A destination as operators see it.');

export const operatorDeadLetter = deadLetter.extend({ account: z.string() });

export const discarded = z.object({
  discarded: count.describe('Dead letters.'),
  events: count.describe('The events in them.'),
});

const accountFigures = {
  id: z.string(),
  name: z.string().nullable().describe('null if the account is unknown, or while the store is away.'),
  events: count.describe('Undelivered events and events in chunk jobs.'),
  bytes: count.describe('Of chunk jobs, waiting events, resends and dead letters.'),
  deadLetters: count,
  delivered: count.describe('Events that receivers took in the last 24 hours.'),
  failed: count.describe('Attempts in the last 24 hours that did not deliver all of their events.'),
  share: z.number().describe('The larger share of its two limits. Above 1, its events are refused.'),
};
const accountRow = z.object(accountFigures);

const createdAt = time.nullable().describe('null for the account of the operations webhook.');
export const storedAccount = account.extend({ createdAt: time });
export const listedAccount = accountRow.extend({ createdAt });

export const accountDeletion = z.object({
  account: z.string(),
  startedAt: time,
  finishedAt: time.nullable().describe('null while something is left.'),
  remaining: z.object({ events: count, deadLetters: count }),
});

export const erasure = z.object({
  id: z.string(),
  account: z.string(),
  startedAt: time,
  finishedAt: time.nullable().describe('null until two searches find nothing.'),
  removed: z
    .object({
      waiting: count,
      resends: count,
      deadLetters: count,
      rejected: count.describe('In `email-events-rejected`.'),
      failedJobs: count.describe('In failed jobs of `email-events`. The rest of a job stays; an empty one is removed.'),
    })
    .describe('Events removed until now, by their place. A step that a crash interrupts may be missing.'),
  kept: z
    .object({
      inFlight: count.describe('Events in flight. They leave with a delivery, or are removed after a failure.'),
      queued: count.describe(
        'All accepted events of the account that are not in a mailbox yet, those accepted after the start included.',
      ),
      jobs: count.describe(
        'Chunk jobs or Redis-fed jobs of the account from before the start that have not ended. The erasure waits for them. A failed chunk job counts until it is retried or removed.',
      ),
    })
    .describe('After the last search.'),
});

const tokenFields = {
  id: z.string(),
  label: z.string(),
  expiresAt: time.nullable().describe('null: it has no end.'),
  lastUsedAt: time.nullable().describe('Accurate to a minute. null if it was never used.'),
};
const accessToken = z.object({ ...tokenFields, access, createdAt: time });
export const accessTokens = z.object({ items: z.array(accessToken) });
const producerToken = z.object({
  ...tokenFields,
  accounts: z.array(z.string()).nullable().describe('null: it may send events for all accounts.'),
  createdAt: time.nullable().describe('null for `environment`, the token in PRODUCER_TOKEN.'),
});
export const producerTokens = z.object({
  items: z.array(producerToken).describe('Oldest first, after the token in PRODUCER_TOKEN.'),
});

export const portalLink = z.object({ url: z.string(), expiresAt: time });

export const auditEntry = z.object({
  client: z.string().optional().describe('The IP address that the request came from.'),
  requestId: z.string().optional().describe('The `x-request-id` of the answer, as in the logs.'),
  id: z.string(),
  time,
  actor: z.enum(['customer', 'operator']),
  via: z.enum(['API', 'settings page', 'admin API', 'operations page', 'Bull Board']),
  token: z
    .string()
    .optional()
    .describe('Label or id of a customer\u2019s access token, or the label of an admin token.'),
  action: z.string(),
  account: z.string().optional(),
  object: z.string().optional().describe('What it was done to: an id, an address or a path.'),
});

export const accountDetails = z.object({
  ...accountFigures,
  createdAt,
  limits: z.object({ events: count, bytes: count }).describe('`WAITING_MAX_EVENTS` and `WAITING_MAX_BYTES`.'),
  destinations: z.array(operatorDestination).describe('The campaign webhook first.'),
});

export const searchResult = z.object({
  accounts: z.array(account),
  destinations: z.array(operatorDestination),
  isComplete: z.boolean().describe('false: there may be more matches.'),
});

const finding = z.object({
  tone: z
    .enum(['bad', 'warn'])
    .describe('bad: events are stuck, refused or at risk. warn: this may come, or is intended.'),
  text: z.string(),
  alert: z.string().optional().describe('The alert whose condition holds.'),
  href: z.string().optional().describe('Where to look: a path, or a fragment of the overview page.'),
});

const diskTask = z.enum(['write', 'rewrite', 'snapshot']);
const redisFinding = z.object({
  severity: z.enum(['fault', 'risk', 'unchecked']),
  about: z.enum(['settings', 'disk', 'version']),
  text: z.string(),
});
const slowScript = z.object({ script: z.string(), tookMs: z.number(), at: time });
const queueJobs = z.object({
  queue: z.string(),
  waiting: count,
  active: count,
  delayed: count,
  failed: count,
  paused: count,
});
const redisReport = z.object({
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
});
const scriptReport = z.object({
  calls: count.describe('Since the start of Redis.'),
  meanMs: z.number(),
  p99Ms: z.number().nullable(),
  slow: z.array(slowScript).describe('Of the last hour, newest first.'),
});
const installation = z.object({
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
});

const worker = z.object({
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
});
const oldestWaiting = z.object({ kind: mechanism, acceptedAt: time.nullable(), destination: z.string().nullable() });
const oldestReady = z.object({ kind: mechanism, acceptedAt: time.nullable() });
const destinationCount = z.object({ kind: mechanism, busy: count, parked: count });
const chunkJobs = z.object({ kind: mechanism, waiting: count, active: count, oldestAt: time.nullable() });

export const operationsReport = z.object({
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
  unjudgedAlerts: z.record(z.string(), z.string()).describe('Alerts that only Prometheus can judge, with the reason.'),
  installation,
  accounts: z.array(accountRow).describe('Those nearest to a limit first.'),
});

/** Names of the schemas in the admin document. */
export const ADMIN_COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Account: account,
  AccessToken: accessToken,
  AccessTokens: accessTokens,
  AccountDeletion: accountDeletion,
  AccountDetails: accountDetails,
  AccountRow: accountRow,
  AuditEntry: auditEntry,
  ChunkJobs: chunkJobs,
  CreatedToken: createdToken,
  DestinationCount: destinationCount,
  Discarded: discarded,
  Erasure: erasure,
  Finding: finding,
  Installation: installation,
  ListedAccount: listedAccount,
  OldestReady: oldestReady,
  OldestWaiting: oldestWaiting,
  OperationsReport: operationsReport,
  OperatorDeadLetter: operatorDeadLetter,
  OperatorDestination: operatorDestination,
  PortalLink: portalLink,
  ProducerToken: producerToken,
  ProducerTokens: producerTokens,
  QueueJobs: queueJobs,
  RedisFinding: redisFinding,
  RedisReport: redisReport,
  ScriptReport: scriptReport,
  SearchResult: searchResult,
  SlowScript: slowScript,
  StoredAccount: storedAccount,
  Worker: worker,
};
