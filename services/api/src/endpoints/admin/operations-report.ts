import { SUBSCRIPTION_ID } from '../customer/subscriptions.ts';
import { accountRowExample } from './accounts.ts';
import { operatorDestinationExample } from './destinations.ts';

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
  attemptLog: { bytes: 12_000_000, deliveredSince: '2026-01-30T02:00:00.000Z' },
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
  findings: [
    {
      tone: 'bad',
      text: '1 destination is parked with events at hooks.example.com: the receiver answered HTTP 503.',
      href: '/admin/pages/destinations?state=parked',
      runbook: 'receivers',
    },
  ],
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
    lostWrites: null,
    scripts: { calls: 90_210, meanMs: 0.06, p99Ms: 0.4, slow: [] },
    queues: [{ queue: 'email-events', waiting: 0, active: 0, delayed: 0, failed: 0, paused: 0 }],
    eventLog: {
      bufferBytes: 18_200,
      spoolShare: 0.0003,
      oldestUnwrittenAt: '2026-01-01T00:04:57.000Z',
      storedBytes: 41_000_000,
      segments: 31,
      oldestAt: '2025-12-29T00:05:00.000Z',
      gapEvents: 0,
      storeP95Ms: 2.4,
    },
    hasNewRejections: false,
    refused: [
      {
        producer: 'environment',
        label: 'PRODUCER_TOKEN',
        code: 'validation_failed',
        requests: 40,
        lastAt: '2026-01-01T00:03:00.000Z',
      },
    ],
  },
  accounts: [accountRowExample],
};
