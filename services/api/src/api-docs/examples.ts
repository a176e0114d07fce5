import { exampleEvent, forEachName, notificationFragment, TRANSACTIONAL_TYPES } from '@mailhook/core';
import type { Notification } from '@mailhook/core';

/** Values of the documentation's examples. Names and addresses are reserved for documentation (RFC 2606, RFC 5737). */

export const SUBSCRIPTION_ID = 'Qm7xW2pLr9aZk4Tc';
const HASH = '4f8kQ1nT9cXv2bLmZ7eRyA';

export const subscriptionExample = {
  id: SUBSCRIPTION_ID,
  address: 'https://hooks.example.com/mail',
  active: true,
  type: 'click',
  module: 'transactional_email',
};

export const newSubscriptionExample = {
  address: subscriptionExample.address,
  type: subscriptionExample.type,
  module: subscriptionExample.module,
};

export const campaignWebhookExample = { address: 'https://hooks.example.com/campaign', active: true };

export const notificationExamples = forEachName(
  TRANSACTIONAL_TYPES,
  (name) => JSON.parse(notificationFragment(exampleEvent(name))) as Notification,
);

export const batchExample = [
  {
    hash: HASH,
    event: 'click',
    campaign: 'aBcDeFgHiJ',
    email: 'anna@example.com',
    timestamp: 1767225600,
    url: 'https://shop.example.com/sale',
    attempt: 1,
  },
  {
    hash: 'pX3dV7sWq0oJh5uNfG2tKw',
    event: 'unsubscribe',
    campaign: 'aBcDeFgHiJ',
    email: 'ben@example.com',
    timestamp: 1767225604,
    attempt: 1,
  },
];

export const acknowledgementExample = batchExample.map(({ hash }) => ({ hash, status: true }));

export const eventExamples = {
  open: {
    account: 'acme',
    module: 'transactional_email',
    name: 'open',
    messageId: 'm-2026-000123',
    time: 1767225600,
    ip: '192.0.2.1',
  },
  campaignClick: {
    account: 'acme',
    module: 'campaign',
    event: 'click',
    campaign: 'aBcDeFgHiJ',
    email: 'anna@example.com',
    timestamp: 1767225600,
    url: 'https://shop.example.com/sale',
    id: 'tracker-7-000042',
  },
};

export const attemptExample = {
  id: 'wa0584e530815_1_1-1',
  time: '2026-01-01T00:00:00.412Z',
  kind: 'campaign',
  address: campaignWebhookExample.address,
  events: 2,
  attempt: 1,
  status: 'failed',
  httpStatus: 500,
  durationMs: 84,
  error: 'the receiver answered HTTP 500 Internal Server Error',
  nextAttemptAt: '2026-01-01T00:00:05.601Z',
};

export const destinationStatusExample = {
  destination: 'campaign',
  kind: 'campaign',
  address: campaignWebhookExample.address,
  state: 'failing',
  waiting: 40,
  resends: 1,
  failures: 1,
  lastHour: { confirmed: 1240, unconfirmed: 0, delivered: 31, failed: 1 },
  oldestWaitingAt: attemptExample.time,
  nextAttemptAt: attemptExample.nextAttemptAt,
  lastError: attemptExample.error,
};

export const deadLetterExample = {
  id: 'c0_wa0584e530815_1_1',
  time: '2026-01-02T01:12:40.000Z',
  kind: 'campaign',
  destination: 'campaign',
  address: campaignWebhookExample.address,
  events: 2,
  attempts: 11,
  error: 'the receiver did not answer in time',
};

export const traceExample = {
  items: [
    {
      destination: 'campaign',
      state: 'resend',
      attempts: 1,
      nextAttemptAt: attemptExample.nextAttemptAt,
      error: attemptExample.error,
    },
  ],
  attempts: [attemptExample],
  searched: 'waiting events, resends, dead letters, and the kept attempts',
  isComplete: true,
};

export const reportExample = {
  address: campaignWebhookExample.address,
  kind: 'campaign',
  passed: 1,
  failed: 1,
  checks: [
    {
      id: 'reachable',
      title: 'It can be reached, and answers',
      outcome: 'passed',
      detail: 'A connection was made.',
      why: 'Without a reply nothing is delivered.',
    },
    {
      id: 'status',
      title: 'It answers a batch with HTTP 200',
      outcome: 'failed',
      detail: 'The receiver answered HTTP 202 instead of 200.',
      why: 'A batch is taken as received with exactly 200. Every other status, 202 and 204 included, means: send it again.',
      fix: 'Answer exactly 200.',
      mend: 'Answer exactly 200.',
    },
  ],
};
