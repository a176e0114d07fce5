import { deadLetterExample } from '../endpoints/customer/dead-letters.ts';
import { SUBSCRIPTION_ID, subscriptionExample } from '../endpoints/customer/subscriptions.ts';

/** Values of the examples in the admin document. */

export const accountExample = { id: 'acc_V1nq8Lr3Kc7Yd0Ze', name: 'Acme' };

export const operatorDestinationExample = {
  id: SUBSCRIPTION_ID,
  kind: 'transactional',
  account: accountExample.id,
  address: subscriptionExample.address,
  state: 'parked',
  waiting: 40,
  undelivered: 40,
  resends: 1,
  inFlight: 0,
  failures: 5,
  lastHour: { confirmed: 210, unconfirmed: 0, delivered: 210, failed: 5 },
  breaker: 'open',
  parkedUntil: '2026-01-01T00:05:00.000Z',
  oldestWaitingAt: '2026-01-01T00:00:00.412Z',
  lastError: 'the receiver answered HTTP 500 Internal Server Error',
};

export const storedAccountExample = { ...accountExample, createdAt: '2025-11-03T08:15:00.000Z' };

const accountRowExample = {
  ...accountExample,
  events: 40,
  bytes: 11_480,
  deadLetters: 3,
  delivered: 120_344,
  failed: 6,
  share: 0.00002,
};

export const listedAccountExample = { ...accountRowExample, createdAt: storedAccountExample.createdAt };

export const accountDetailsExample = {
  ...listedAccountExample,
  limits: { events: 2_000_000, bytes: 1_073_741_824 },
  destinations: [operatorDestinationExample],
};

export const accountDeletionExample = {
  account: accountExample.id,
  startedAt: '2026-01-01T00:04:00.000Z',
  finishedAt: null,
  remaining: { events: 40, deadLetters: 3 },
};

export const erasureExample = {
  id: 'Xk2mT9bQ4wLr7NvE',
  account: accountExample.id,
  startedAt: '2026-01-01T00:04:00.000Z',
  finishedAt: '2026-01-01T00:04:02.100Z',
  removed: { waiting: 12, resends: 1, deadLetters: 3, rejected: 1, failedJobs: 0 },
  kept: { inFlight: 0, queued: 40, jobs: 0 },
};

const tokenExample = {
  id: 'Zp4sR8vN1xKc6YtB',
  label: 'backend',
  createdAt: '2025-11-03T08:15:04.000Z',
  expiresAt: null,
  lastUsedAt: '2026-01-01T00:03:00.000Z',
};
export const accessTokensExample = { items: [{ ...tokenExample, access: 'read' }] };
export const producerTokensExample = {
  items: [
    { ...tokenExample, id: 'environment', label: 'PRODUCER_TOKEN', accounts: null, createdAt: null },
    { ...tokenExample, label: 'tracker', accounts: [accountExample.id] },
  ],
};

export const portalLinkExample = {
  url: 'https://hooks.example.com/settings/portal?link=9p3VxJ2uQm0cS7kWZyXr1TnBd4LfEa6HiGvo8MqKt5A',
  expiresAt: '2026-01-01T00:05:00.000Z',
};

export const auditEntryExample = {
  id: '1767225840000-0',
  time: '2026-01-01T00:04:00.000Z',
  actor: 'customer',
  via: 'API',
  token: 'backend',
  action: 'delete subscription',
  account: accountExample.id,
  object: SUBSCRIPTION_ID,
};

export const adminDeadLetterExample = { ...deadLetterExample, account: accountExample.id };

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
