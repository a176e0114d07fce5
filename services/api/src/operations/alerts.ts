/**
 * The alerts of k8s/components/monitoring/alerts.yaml that the api can judge from its own reading, with their
 * thresholds. A test compares them with that file. Prometheus also waits before an alert fires, so the overview shows a
 * condition earlier.
 */
export const JUDGED_ALERTS = {
  MailhookNotReady: { severity: 'critical' },
  MailhookNoWorker: { severity: 'critical' },
  MailhookMailStuck: { severity: 'critical', threshold: 60 },
  MailhookRedisFull: { severity: 'critical', threshold: 0.12 },
  MailhookRedisNearlyFull: { severity: 'warning', threshold: 0.3 },
  MailhookRedisUnsafe: { severity: 'critical' },
  MailhookRedisCannotWrite: { severity: 'critical' },
  MailhookRedisRewriteFailing: { severity: 'warning' },
  MailhookRedisLostWrites: { severity: 'critical' },
  MailhookClockSkew: { severity: 'warning', threshold: 2 },
  MailhookManyParked: { severity: 'warning', threshold: 20 },
  MailhookOldMail: { severity: 'warning', threshold: 172_800 },
  MailhookDeadLetters: { severity: 'warning', threshold: 100 },
  MailhookQueuePaused: { severity: 'warning' },
  MailhookChunksSetAside: { severity: 'critical' },
  MailhookRedisFedBacklog: { severity: 'warning', threshold: 1000 },
  MailhookEventsRejected: { severity: 'warning' },
  MailhookEventLogNotWritten: { severity: 'critical', threshold: 120 },
  MailhookEventLogSpoolFilling: { severity: 'warning', threshold: 0.8 },
} as const;

export type AlertName = keyof typeof JUDGED_ALERTS;

/** The other alerts, and why only Prometheus can judge them. */
export const UNJUDGED_ALERTS = {
  MailhookServiceDown: 'Prometheus must reach every service',
  MailhookLocalFaults: 'only the workers count these faults',
  MailhookIntakeFailing: 'it needs the answers of all replicas over minutes',
  MailhookRequestsRefused: 'it needs the counts of all replicas over minutes',
  MailhookFailedSignIns: 'it needs the counts of all replicas over minutes',
  MailhookDeliveriesFailing: 'only the workers count attempts',
  MailhookRedisSyncsLate: 'it needs the growth of a count over minutes',
  MailhookEventLogGaps: 'it needs the counts of all replicas over minutes',
  MailhookRepairs: 'only the workers count repairs',
  MailhookInvariantViolated: 'only the workers count violations',
  MailhookEventLoopBlocked: 'it needs the figures of every process over minutes',
  MailhookFunctionsReplaced: 'each process checks the functions in Redis on its own',
  MailhookUnhandledRejections: 'it needs the counts of all replicas over minutes',
} as const;
