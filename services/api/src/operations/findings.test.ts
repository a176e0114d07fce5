import { readFileSync } from 'node:fs';
import path from 'node:path';
import { coded } from '@mailhook/core';
import type { AlertName } from './alerts.ts';
import { JUDGED_ALERTS } from './alerts.ts';
import type { Figures } from './findings.ts';
import { findingsOf } from './findings.ts';

const NOW = '2026-11-23T12:00:00.000Z';
const ago = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString();
const worker = (kind: 'transactional' | 'campaign', change = {}) => ({
  id: `w${kind}`,
  kind,
  shard: 0,
  host: 'host-a',
  pid: 7,
  lastHeartbeatAt: ago(0.3),
  isAlive: true,
  destinations: 1,
  ...change,
});
const jobs = { waiting: 0, active: 0, delayed: 0, failed: 0, paused: 0 };

/** An installation that lacks nothing. */
const WELL: Figures = {
  overview: {
    time: NOW,
    shards: 1,
    attention: [],
    attemptLog: { bytes: 0, deliveredSince: null },
    chunkJobs: [],
    oldestWaiting: [{ kind: 'campaign', acceptedAt: ago(1), destination: 'campaign-a' }],
    oldestReady: [{ kind: 'campaign', acceptedAt: ago(1) }],
    totals: { waiting: 1, resends: 0, parked: 0, parkedEmpty: 0, paused: 0, late: 0, deadLetters: 0, isComplete: true },
    destinations: [{ kind: 'campaign', busy: 30, parked: 0 }],
    workers: [worker('transactional'), worker('campaign')],
  },
  installation: {
    notReady: [],
    intake: { refusingSince: null, reason: null },
    redis: {
      memory: { usedBytes: 1, limitBytes: 2, headroom: 0.5, refusesBelow: 0.1 },
      disk: { failing: [], fileBytes: 1000, freeBytes: 2000 },
      version: '7.0.15',
      policy: 'noeviction',
      appendonly: 'yes',
      appendfsync: 'everysec',
      replicas: 0,
      clockSkewMs: 1,
    },
    redisFindings: [],
    lostWrites: null,
    scripts: null,
    queues: [{ queue: 'email-events', ...jobs }],
    eventLog: {
      bufferBytes: 1000,
      spoolShare: 0.1,
      oldestUnwrittenAt: ago(9),
      storedBytes: 1000,
      segments: 1,
      oldestAt: ago(900),
      gapEvents: 0,
      storeP95Ms: 3,
    },
    hasNewRejections: false,
    refused: [],
  },
  accounts: [],
  names: new Map(),
  pace: { accepted: 0, delivered: 0 },
  newDeadEvents: 0,
};

type Change = (figures: Figures) => unknown;
/** Changes a copy of the healthy figures. */
const when = (change: Change) => {
  const figures = structuredClone(WELL);
  change(figures);
  return findingsOf(figures);
};
const set = (target: object, change: object): unknown => Object.assign(target, change);

const CONDITIONS: Readonly<Record<AlertName, Change>> = {
  MailhookNotReady: ({ installation }) => set(installation, { notReady: ['Redis does not answer'] }),
  MailhookNoWorker: ({ overview }) => set(overview, { workers: [worker('transactional')] }),
  MailhookMailStuck: ({ overview }) => set(overview, { oldestReady: [{ kind: 'campaign', acceptedAt: ago(61) }] }),
  MailhookRedisFull: ({ installation }) => set(installation.redis!.memory, { headroom: 0.11 }),
  MailhookRedisNearlyFull: ({ installation }) => set(installation.redis!.memory, { headroom: 0.29 }),
  MailhookRedisUnsafe: ({ installation }) =>
    set(installation, { redisFindings: [{ severity: 'fault', about: 'settings', text: 'unsafe' }] }),
  MailhookRedisCannotWrite: ({ installation }) => {
    set(installation, { redisFindings: [{ severity: 'fault', about: 'disk', text: 'full' }] });
    return set(installation.redis!.disk, { failing: ['write'] });
  },
  MailhookRedisRewriteFailing: ({ installation }) => set(installation.redis!.disk, { failing: ['snapshot'] }),
  MailhookRedisLostWrites: ({ installation }) => set(installation, { lostWrites: { from: ago(5), to: ago(3) } }),
  MailhookClockSkew: ({ installation }) => set(installation.redis!, { clockSkewMs: -2001 }),
  MailhookManyParked: ({ overview }) => set(overview, { destinations: [{ kind: 'campaign', busy: 41, parked: 21 }] }),
  MailhookOldMail: ({ overview }) =>
    set(overview, { oldestWaiting: [{ kind: 'campaign', acceptedAt: ago(172_801), destination: 'campaign-a' }] }),
  MailhookDeadLetters: (figures) => set(figures, { newDeadEvents: 101 }),
  MailhookQueuePaused: ({ installation }) =>
    set(installation, { queues: [{ queue: 'email-events', ...jobs, paused: 1 }] }),
  MailhookChunksSetAside: ({ installation }) =>
    set(installation, { queues: [{ queue: 'campaign-chunks', ...jobs, failed: 2 }] }),
  MailhookRedisFedBacklog: ({ installation }) =>
    set(installation, { queues: [{ queue: 'email-events', ...jobs, waiting: 1001 }] }),
  MailhookEventsRejected: ({ installation }) => set(installation, { hasNewRejections: true }),
  MailhookEventLogNotWritten: ({ installation }) =>
    set(installation.eventLog!, { oldestUnwrittenAt: ago(121), spoolShare: 0.9 }),
  MailhookEventLogSpoolFilling: ({ installation }) => set(installation.eventLog!, { spoolShare: 0.81 }),
};

test('a healthy installation needs nothing, and neither does one a little below every threshold', () => {
  expect(findingsOf(WELL)).toEqual([]);
  const nearly = when(({ overview, installation }) => {
    set(installation.redis!.memory, { headroom: 0.3 });
    set(installation.redis!, { clockSkewMs: 2000 });
    set(overview, { oldestReady: [{ kind: 'campaign', acceptedAt: ago(60) }] });
    set(installation.eventLog!, { oldestUnwrittenAt: ago(120), spoolShare: 0.8 });
    return set(overview, { destinations: [{ kind: 'campaign', busy: 42, parked: 21 }] });
  });
  expect(nearly).toEqual([]);
});

test.each(Object.entries(CONDITIONS) as [AlertName, Change][])('%s is found, with its severity', (alert, change) => {
  const tone = JUDGED_ALERTS[alert].severity === 'critical' ? 'bad' : 'warn';
  expect(when(change)).toEqual([expect.objectContaining({ alert, tone })]);
});

test('an event log that is off, or empty, needs nothing', () => {
  expect(when(({ installation }) => set(installation, { eventLog: null }))).toEqual([]);
  expect(when(({ installation }) => set(installation.eventLog!, { oldestUnwrittenAt: null }))).toEqual([]);
});

test('e-mails that could not be sent are found', () => {
  const unsent = when(({ installation }) => set(installation, { queues: [{ queue: 'alerts', ...jobs, failed: 2 }] }));
  expect(unsent).toEqual([
    {
      tone: 'warn',
      text: expect.stringContaining('2 e-mails to customers could not be sent') as string,
      href: '/admin/queues/queue/alerts?status=failed',
    },
  ]);
});

test('parked destinations count only if they hold events; pauses alone are a warning', () => {
  const totals =
    (change: object): Change =>
    ({ overview }) =>
      set(overview.totals, change);
  expect(when(totals({ parked: 3, parkedEmpty: 3 }))).toEqual([]);
  expect(when(totals({ parked: 3, parkedEmpty: 2 }))).toMatchObject([
    { tone: 'bad', text: '1 destination is parked with events: its receiver fails.' },
  ]);
  expect(when(totals({ paused: 2 }))).toMatchObject([{ tone: 'warn', text: '2 destinations are paused.' }]);
});

test('a shard without a worker is found, though another shard has one', () => {
  const [finding] = when(({ overview }) => set(overview, { shards: 2 }));
  expect(finding).toMatchObject({ alert: 'MailhookNoWorker' });
});

test('a worker that ended is news for a minute', () => {
  const ended = (seconds: number) =>
    when(({ overview }) =>
      (overview.workers as object[]).push(worker('campaign', { isAlive: false, lastHeartbeatAt: ago(seconds) })),
    );
  expect(ended(30)).toMatchObject([
    { tone: 'warn', text: expect.stringMatching(/on host-a ended without a stop at .*11:59:30 UTC/) as string },
  ]);
  expect(ended(61)).toEqual([]);
  // Many restarts on one host are one finding.
  const dead = [50, 30, 40].map((seconds) => worker('campaign', { isAlive: false, lastHeartbeatAt: ago(seconds) }));
  const found = when(({ overview }) => (overview.workers as object[]).push(...dead));
  expect(found.map(({ text }) => text)).toEqual([
    expect.stringMatching(/ended without a stop 3 times, last at .*11:59:30 UTC/),
  ]);
});

test('Redis-fed jobs that failed whole are named, before destinations that fail and after refused accounts', () => {
  const found = when(({ overview, installation, ...figures }) => {
    set(overview.totals, { parked: 2 });
    set(installation, { queues: [{ queue: 'email-events', ...jobs, failed: 1 }] });
    const usage = { events: 9, bytes: 9, deadLetters: 0, delivered: 0, failed: 0 };
    (figures.accounts as unknown[]).push({ id: 'acc_a', name: 'Acme', share: 1.2, ...usage });
  });
  expect(found).toMatchObject([
    { tone: 'bad', text: expect.stringMatching(/^Account Acme \(acc_a\) is over its limit/) as string },
    { tone: 'bad', text: expect.stringMatching(/^1 job of Redis-fed producers failed whole/) as string },
    { tone: 'bad', text: expect.stringMatching(/^2 destinations are parked/) as string },
  ]);
});

test('the worst findings come first', () => {
  const found = when(({ overview, installation }) => {
    set(overview.totals, { paused: 1 });
    return set(installation.redis!.memory, { headroom: 0.05 });
  });
  expect(found.map(({ tone }) => tone)).toEqual(['bad', 'warn']);
});

test('counts of destinations that a report could not read whole are bounds', () => {
  const textsOf = (isComplete: boolean): string[] =>
    when(({ overview }) => set(overview.totals, { parked: 3, parkedEmpty: 1, late: 2, isComplete })).map(
      ({ text }) => text,
    );
  expect(textsOf(true)).toEqual([
    '2 destinations are parked with events: their receivers fail.',
    '2 other destinations hold events that are over a minute old.',
  ]);
  expect(textsOf(false)).toEqual([
    'Up to 2 destinations are parked with events: their receivers fail.',
    'At least 2 other destinations hold events that are over a minute old.',
  ]);
});

describe('findings about receivers and producers', () => {
  const parked = (id: string, oldestSeconds: number, host = 'hooks.example.com') => ({
    id,
    account: 'acc_1',
    address: `https://${host}/${id}`,
    state: 'parked',
    breaker: 'open',
    failures: 9,
    undelivered: 5,
    oldestWaitingAt: ago(oldestSeconds),
    lastError: coded('status', { status: '500 Internal Server Error' }),
  });
  const crowd = (...attention: object[]) =>
    when(({ overview }) => {
      set(overview.totals, { parked: attention.length });
      return set(overview, { attention });
    }).map(({ text }) => text);

  test('failing receivers are named by host and cause, with those of the last minute', () => {
    expect(crowd(parked('a', 300))).toEqual([
      '1 destination is parked with events at hooks.example.com: the receiver answered HTTP 500 Internal Server Error.',
    ]);
    expect(crowd(parked('a', 300), parked('b', 20))).toEqual([
      '2 destinations are parked with events, all at hooks.example.com: ' +
        'the receiver answered HTTP 500 Internal Server Error; 1 in the last minute.',
    ]);
    expect(crowd(parked('a', 300), parked('b', 300), parked('c', 300, 'other.example.com'))).toEqual([
      '3 destinations are parked with events, 2 of them at hooks.example.com: ' +
        'the receiver answered HTTP 500 Internal Server Error.',
    ]);
    const slow = ['b', 'c'].map((id) => ({ ...parked(id, 300), lastError: coded('no-reply') }));
    expect(crowd(...slow, parked('a', 300), parked('d', 300, 'other.example.com'))).toEqual([
      '4 destinations are parked with events, 3 of them at hooks.example.com, for several causes.',
    ]);
  });

  test('a backlog names its account, and when all waiting events are delivered', () => {
    const late = { ...parked('a', 90), state: 'sending', breaker: 'closed', failures: 0, undelivered: 100_000 };
    const backlog = (pace: object) =>
      when((figures) => {
        set(figures.overview, { attention: [late] });
        set(figures.overview.totals, { late: 1, waiting: 120_000 });
        return set(figures, { names: new Map([['acc_1', 'Example Shop']]), pace });
      }).map(({ text }) => text.replace(/^.*a minute old\. /, ''));
    expect(backlog({ accepted: 200, delivered: 800 })).toEqual([
      'They are of Example Shop: 100,000 events. ' +
        'At the present pace, all waiting events are delivered in about 3.3 min.',
    ]);
    expect(backlog({ accepted: 900, delivered: 800 })).toEqual([
      'They are of Example Shop: 100,000 events. More events are accepted than delivered, so the backlog grows.',
    ]);
  });

  test('a producer that is refused is named with its codes', () => {
    const refused = (code: string, requests: number, producer = 't1', label: string | null = 'billing') => ({
      producer,
      label,
      code,
      requests,
      lastAt: ago(60),
    });
    const all = [
      refused('validation_failed', 1200),
      refused('unknown_account', 2),
      refused('rate_limited', 1, 't2', null),
    ];
    expect(when(({ installation }) => set(installation, { refused: all })).map(({ text }) => text)).toEqual([
      '1,202 requests of the producer billing were refused within the last hour: ' +
        '1,200 validation_failed, 2 unknown_account.',
      '1 request of the producer t2 was refused within the last hour: 1 rate_limited.',
    ]);
  });

  test('a finding without an alert names a section of the runbook', () => {
    const runbook = readFileSync(path.join(import.meta.dirname, '../../../../docs/runbook.md'), 'utf8');
    for (const title of ['## Receivers', '## Refused requests of producers']) expect(runbook).toContain(`\n${title}\n`);
  });
});
