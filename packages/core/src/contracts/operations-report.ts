import { z } from 'zod';
import { account } from './account.ts';
import type { DeadLetter } from './delivery.ts';
import type { Frozen } from './frozen.ts';
import { count, destinationView, overview, time } from './overview.ts';
import { problemCode } from './problem.ts';

export const accountRow = z.object({
  id: z.string(),
  name: z.string().nullable().describe('null if the account is unknown, or while the store is away.'),
  events: count.describe('Undelivered events and events in chunk jobs.'),
  bytes: count.describe('Of chunk jobs, waiting events, resends and dead letters.'),
  deadLetters: count,
  delivered: count.describe('Events that receivers took in the last 24 hours.'),
  failed: count.describe('Attempts in the last 24 hours that did not deliver all of their events.'),
  share: z.number().describe('The larger share of its two limits. Above 1, its events are refused.'),
});
export type AccountRow = Frozen<z.infer<typeof accountRow>>;

export const listedAccount = accountRow.extend({
  createdAt: time.nullable().describe('null for the account of the operations webhook.'),
});
export type ListedAccount = Frozen<z.infer<typeof listedAccount>>;

export const accountDetails = listedAccount.extend({
  keptBodiesBytes: count.describe(
    'Memory of delivered bodies (`DELIVERED_BODY_RETENTION`). Not in `bytes`, because it refuses no events.',
  ),
  limits: z.object({ events: count, bytes: count }).describe('`WAITING_MAX_EVENTS` and `WAITING_MAX_BYTES`.'),
  destinations: z.array(destinationView).describe('The campaign webhook first.'),
});
export type AccountDetails = Frozen<z.infer<typeof accountDetails>>;

export const searchResult = z.object({
  accounts: z.array(account),
  destinations: z.array(destinationView),
  isComplete: z.boolean().describe('false: there may be more matches.'),
});
export type SearchResult = Frozen<z.infer<typeof searchResult>>;

export const finding = z.object({
  tone: z
    .enum(['bad', 'warn'])
    .describe('bad: events are stuck, refused or at risk. warn: this may come, or is intended.'),
  text: z.string(),
  alert: z.string().optional().describe('The alert whose condition holds.'),
  href: z.string().optional().describe('Where to look: a path of the operations port.'),
  runbook: z.string().optional().describe('The section of the runbook, if no alert names its entry.'),
});
export type Finding = Frozen<z.infer<typeof finding>>;

/** The tasks of Redis that can fail because of its disk. */
export const diskTask = z.enum(['write', 'rewrite', 'snapshot']);
export type DiskTask = z.infer<typeof diskTask>;

export const redisFinding = z.object({
  /** `unchecked` means that Redis forbids the command that would show the setting, as managed services do. */
  severity: z.enum(['fault', 'risk', 'unchecked']),
  about: z.enum(['settings', 'disk', 'version']),
  /** A sentence that names the setting and the fix. */
  text: z.string(),
});
export type RedisFinding = Frozen<z.infer<typeof redisFinding>>;

export const slowScript = z.object({ script: z.string(), tookMs: z.number(), at: time });

export const queueJobs = z.object({
  queue: z.string(),
  waiting: count,
  active: count,
  delayed: count,
  failed: count,
  paused: count,
});

export const redisReport = z.object({
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
export type RedisReport = Frozen<z.infer<typeof redisReport>>;

export const scriptReport = z.object({
  calls: count.describe('Since the start of Redis.'),
  meanMs: z.number(),
  p99Ms: z.number().nullable(),
  slow: z.array(slowScript).describe('Of the last hour, newest first.'),
});
export type ScriptReport = Frozen<z.infer<typeof scriptReport>>;

export const lostWrites = z.object({ from: time.nullable().describe('null if Redis lost everything.'), to: time });

export const eventLogReport = z.object({
  bufferBytes: count.describe('Bytes in Redis that wait to be written, of all shards.'),
  spoolShare: z.number().describe('Of `EVENT_LOG_SPOOL`: the share that the fullest shard uses.'),
  oldestUnwrittenAt: time.nullable().describe('null if nothing waits to be written.'),
  storedBytes: count.nullable().describe('In the store, at most a minute old. null if the store does not answer.'),
  segments: count.nullable().describe('null if the store does not answer.'),
  oldestAt: time.nullable().describe('The oldest stored event. null if none is stored, or the store does not answer.'),
  gapEvents: count.describe('Accepted events that the log lacks. 0 when the newest gap is beyond the retention.'),
  storeP95Ms: z
    .number()
    .nullable()
    .describe('95 of the last 100 operations of this replica at the store took at most this long.'),
});

export const refusedRequests = z.object({
  producer: z.string().describe('The id of its token, `environment` for PRODUCER_TOKEN.'),
  label: z.string().nullable().describe('Of the token. null if it was revoked, or while the store is away.'),
  code: problemCode,
  requests: count.describe('In the last hour.'),
  lastAt: time.describe('The minute of the last one.'),
});
export type RefusedRequests = Frozen<z.infer<typeof refusedRequests>>;

export const installationReport = z.object({
  notReady: z.array(z.string()).describe('Why this replica of the api is not ready.'),
  intake: z
    .object({ refusingSince: time.nullable(), reason: z.string().nullable() })
    .describe('As this replica of the api sees it. null while it accepts events.'),
  redis: redisReport.nullable().describe('null if Redis forbids INFO.'),
  redisFindings: z.array(redisFinding),
  lostWrites: lostWrites.nullable().describe('Writes that Redis lost, as found within a day. null if it lost none.'),
  scripts: scriptReport.nullable().describe('null if Redis forbids INFO.'),
  queues: z.array(queueJobs),
  eventLog: eventLogReport.nullable().describe('null without `EVENT_LOG`.'),
  hasNewRejections: z
    .boolean()
    .describe('Whether events or jobs of Redis-fed producers were rejected in the last hour.'),
  refused: z.array(refusedRequests).describe('Requests of producers that the intake refused, the most first.'),
});
export type InstallationReport = Frozen<z.infer<typeof installationReport>>;

export const operationsReport = overview.extend({
  findings: z.array(finding).describe('Everything that needs an operator, the worst first.'),
  unjudgedAlerts: z.record(z.string(), z.string()).describe('Alerts that only Prometheus can judge, with the reason.'),
  installation: installationReport,
  accounts: z.array(accountRow).describe('Those nearest to a limit first.'),
});
export type OperationsReport = Frozen<z.infer<typeof operationsReport>>;

export interface OperationsReading {
  readonly report: OperationsReport;
  /** The newest dead letters. */
  readonly deadLetters: readonly (DeadLetter & { readonly account: string })[];
  /** Names by account id, of all accounts in the report. Empty while the store is away. */
  readonly names: ReadonlyMap<string, string>;
}
