import {
  ALERTS_KEPT_MS,
  ALERTS_QUEUE,
  bytesText,
  EMAIL_EVENTS_QUEUE,
  formatCount,
  groupFailing,
  mechanism,
  percentText,
  plural,
  REJECTED_EVENTS_QUEUE,
  spanText,
} from '@mailhook/core';
import type { AccountRow, DestinationView, Finding, InstallationReport, Mechanism, Overview } from '@mailhook/core';
import type { AlertName } from './alerts.ts';
import { JUDGED_ALERTS } from './alerts.ts';
import { BOARD_PATH, pageUrl } from '@mailhook/console';
import { timeText } from './wording.ts';

/** What the installation accepts and delivers at present, in events per second. */
export interface Pace {
  readonly accepted: number;
  readonly delivered: number;
}

export interface Figures {
  readonly overview: Overview;
  readonly installation: InstallationReport;
  /** The heaviest accounts. */
  readonly accounts: readonly AccountRow[];
  /** By account id. */
  readonly names: ReadonlyMap<string, string>;
  readonly pace: Pace;
  /** Events that became dead letters within the last hour, as far as the newest dead letters show. */
  readonly newDeadEvents: number;
}

/**
 * Everything that needs an operator. The order is by harm: events that are refused, lost or not sent now, then those of
 * single customers, then what may do harm later. Empty if nothing needs one. Readiness, headline and alerts all come
 * from here.
 */
export function findingsOf(figures: Figures): readonly Finding[] {
  const { overview, installation } = figures;
  const found = [
    ...apiFindings(installation),
    ...workerFindings(overview),
    ...redisFindings(installation),
    ...limitFindings(figures),
    ...queueFindings(installation),
    ...destinationFindings(figures),
    ...riskFindings(installation),
    ...eventLogFindings(figures),
    ...producerFindings(installation),
    ...deadLetterFindings(figures),
  ];
  return [...found.filter(({ tone }) => tone === 'bad'), ...found.filter(({ tone }) => tone === 'warn')];
}

const INSTALLATION = pageUrl('queues');
const WORKERS = pageUrl('workers');
const ACCOUNTS = pageUrl('accounts');
/** Sections of the runbook. A test reads them. */
const RUNBOOK_RECEIVERS = 'receivers';
const RUNBOOK_REFUSED = 'refused-requests-of-producers';

/** A finding with an alert has the alert's severity. */
const alerting = (alert: AlertName, text: string, href?: string): Finding => ({
  tone: JUDGED_ALERTS[alert].severity === 'critical' ? 'bad' : 'warn',
  text,
  alert,
  ...(href === undefined ? {} : { href }),
});

export function apiFindings({ notReady, intake }: Pick<InstallationReport, 'notReady' | 'intake'>): Finding[] {
  return [
    ...notReady.map((reason) => alerting('MailhookNotReady', `This api is not ready: ${reason}.`, '/readyz')),
    ...(intake.refusingSince === null
      ? []
      : [
          {
            tone: 'bad' as const,
            text: `The intake has refused all events since ${timeText(intake.refusingSince)}: ${intake.reason ?? ''}.`,
            href: INSTALLATION,
          },
        ]),
  ];
}

/** Long enough to be seen. Other workers have replaced it within seconds. */
const LOST_SHOWN_MS = 60_000;

function workerFindings({ workers, oldestReady, shards, time }: Overview): Finding[] {
  const nowMs = Date.parse(time);
  const living = workers.filter(({ isAlive }) => isAlive);
  const missing = mechanism.options.filter(
    (kind) => new Set(living.filter((one) => one.kind === kind).map(({ shard }) => shard)).size < shards,
  );
  const lost = workers.filter(
    ({ kind, isAlive, lastHeartbeatAt }) =>
      !isAlive && !missing.includes(kind) && Date.parse(lastHeartbeatAt) > nowMs - LOST_SHOWN_MS,
  );
  return [
    ...missing.map((kind) =>
      alerting('MailhookNoWorker', `No ${kind} worker has a current heartbeat: ${lastOf(workers, kind)}`, WORKERS),
    ),
    ...oldestReady.flatMap(({ kind, acceptedAt }) => {
      const ageMs = acceptedAt === null ? 0 : nowMs - Date.parse(acceptedAt);
      if (ageMs <= JUDGED_ALERTS.MailhookMailStuck.threshold * 1000) return [];
      const since = timeText(String(acceptedAt));
      const text = `Events that could be sent wait for a ${kind} worker, the oldest since ${since}.`;
      return [alerting('MailhookMailStuck', text, WORKERS)];
    }),
    ...[...new Set(lost.map(placeOf))].map((place) => lostFinding(lost.filter((one) => placeOf(one) === place))),
  ];
}

const placeOf = ({ kind, host }: Overview['workers'][number]): string =>
  `${kind} worker${host === null ? '' : ` on ${host}`}`;

/** One finding for all ended workers of a mechanism on a host, for instance after many restarts. */
function lostFinding(lost: Overview['workers']): Finding {
  const times = lost.map(({ lastHeartbeatAt }) => lastHeartbeatAt).sort();
  const end = timeText(String(times.at(-1)));
  const [place = ''] = lost.map(placeOf);
  const often = lost.length === 1 ? '' : `${formatCount(lost.length)} times, last `;
  const text = `A ${place} ended without a stop ${often}at ${end}. Its destinations pass to other workers.`;
  return { tone: 'warn', text, href: WORKERS };
}

function lastOf(workers: Overview['workers'], kind: Mechanism): string {
  const last = workers.filter((worker) => worker.kind === kind && !worker.isAlive).at(0);
  const started = 'its events wait. Start one.';
  if (last === undefined) return started;
  return (
    `the last one${last.host === null ? '' : ` ran on ${last.host} and`} was alive at ` +
    `${timeText(last.lastHeartbeatAt)}; ${started}`
  );
}

/** What Redis loses or refuses now, or soon. */
function redisFindings({ redis, redisFindings: faults, lostWrites }: InstallationReport): Finding[] {
  const isRefused = redis?.disk.failing.includes('write') === true;
  return [
    ...faults
      .filter(({ severity, about }) => severity === 'fault' && about !== 'version' && about !== 'settings')
      .map(({ text }) =>
        alerting(isRefused ? 'MailhookRedisCannotWrite' : 'MailhookRedisRewriteFailing', text, INSTALLATION),
      ),
    ...(lostWrites === null ? [] : [alerting('MailhookRedisLostWrites', lostWritesText(lostWrites), INSTALLATION)]),
    ...(redis === null ? [] : memoryFindings(redis.memory)),
  ];
}

/** What does harm when Redis stops, or its disk fills up. */
const riskFindings = ({ redis, redisFindings: faults }: InstallationReport): Finding[] => [
  ...faults.flatMap(({ severity, about, text }): Finding[] => {
    if (severity !== 'fault') return [];
    if (about === 'version') return [{ tone: 'bad', text, href: INSTALLATION }];
    return about === 'settings' ? [alerting('MailhookRedisUnsafe', text, INSTALLATION)] : [];
  }),
  ...(redis === null ? [] : diskFindings(redis)),
];

function lostWritesText({ from, to }: NonNullable<InstallationReport['lostWrites']>): string {
  const lost = from === null ? `all its data at ${timeText(to)}` : `its writes of ${timeText(from)} to ${timeText(to)}`;
  return `Redis lost ${lost}: events accepted then may be missing, and results may come again.`;
}

function memoryFindings({ headroom, refusesBelow }: NonNullable<InstallationReport['redis']>['memory']): Finding[] {
  const text =
    `Redis has ${percentText(headroom)} of its maxmemory left. Below ${percentText(refusesBelow)}, the intake ` +
    'refuses all events.';
  if (headroom < JUDGED_ALERTS.MailhookRedisFull.threshold) return [alerting('MailhookRedisFull', text, ACCOUNTS)];
  if (headroom < JUDGED_ALERTS.MailhookRedisNearlyFull.threshold)
    return [alerting('MailhookRedisNearlyFull', text, ACCOUNTS)];
  return [];
}

function diskFindings({ disk, clockSkewMs }: NonNullable<InstallationReport['redis']>): Finding[] {
  const { failing, fileBytes, freeBytes } = disk;
  const snapshot = 'Redis could not write its last snapshot. Its log shows why; then run BGSAVE.';
  const space =
    `The disk of Redis has ${bytesText(freeBytes ?? 0)} left. A rewrite of its append-only file may need ` +
    `${bytesText(fileBytes)}.`;
  const skew =
    `The clocks of this api and of Redis differ by ${spanText(Math.abs(clockSkewMs))}. Check the time service of ` +
    'both machines.';
  return [
    ...(failing.includes('snapshot') ? [alerting('MailhookRedisRewriteFailing', snapshot, INSTALLATION)] : []),
    ...(freeBytes !== null && freeBytes < fileBytes
      ? [{ tone: 'warn' as const, text: space, href: INSTALLATION }]
      : []),
    ...(Math.abs(clockSkewMs) > JUDGED_ALERTS.MailhookClockSkew.threshold * 1000
      ? [alerting('MailhookClockSkew', skew, INSTALLATION)]
      : []),
  ];
}

/** The page of a queue that all shards share. */
const boardOf = (queue: string, query = ''): string => `${BOARD_PATH}/queue/${queue}${query}`;

function queueFindings({ queues, hasNewRejections }: InstallationReport): Finding[] {
  const chunks = queues.filter(({ queue }) => queue.endsWith('-chunks'));
  const failedChunks = chunks.reduce((sum, { failed }) => sum + failed, 0);
  const paused = queues.filter((queue) => queue.paused > 0);
  const unsent = queues.find(({ queue }) => queue === ALERTS_QUEUE)?.failed ?? 0;
  const { waiting: fed = 0, failed: failedFed = 0 } = queues.find(({ queue }) => queue === EMAIL_EVENTS_QUEUE) ?? {};
  const jobs = plural(failedChunks, 'job with accepted events', 'jobs with accepted events');
  return [
    ...(failedChunks > 0
      ? [
          alerting(
            'MailhookChunksSetAside',
            `${jobs} moved to the failed jobs. Find the cause, then retry: no event in them is delivered before.`,
            BOARD_PATH,
          ),
        ]
      : []),
    ...(failedFed > 0
      ? [
          {
            tone: 'bad' as const,
            text:
              `${plural(failedFed, 'job', 'jobs')} of Redis-fed producers failed whole, so no event in them is ` +
              'accepted. The failed jobs show why. Correct the producer, and let it send again.',
            href: boardOf(EMAIL_EVENTS_QUEUE, '?status=failed'),
          },
        ]
      : []),
    ...paused.map(({ queue, paused: held }) =>
      alerting(
        'MailhookQueuePaused',
        `The queue ${queue} is paused and holds ${plural(held, 'job', 'jobs')}. Resume it on Bull Board.`,
        BOARD_PATH,
      ),
    ),
    ...(fed > JUDGED_ALERTS.MailhookRedisFedBacklog.threshold
      ? [
          alerting(
            'MailhookRedisFedBacklog',
            `${plural(fed, 'job', 'jobs')} of Redis-fed producers wait. Start more replicas of the api.`,
            boardOf(EMAIL_EVENTS_QUEUE),
          ),
        ]
      : []),
    ...(unsent > 0
      ? [
          {
            tone: 'warn' as const,
            text:
              `${plural(unsent, 'e-mail', 'e-mails')} to customers could not be sent within the last ` +
              `${ALERTS_KEPT_MS / 86_400_000} days. The failed jobs of the queue ${ALERTS_QUEUE} show the replies of ` +
              'the mail server.',
            href: boardOf(ALERTS_QUEUE, '?status=failed'),
          },
        ]
      : []),
    ...(hasNewRejections
      ? [
          alerting(
            'MailhookEventsRejected',
            `Events of Redis-fed producers were rejected within the last hour. The queue ${REJECTED_EVENTS_QUEUE} ` +
              'shows each with its errors.',
            boardOf(REJECTED_EVENTS_QUEUE),
          ),
        ]
      : []),
  ];
}

/** One at most: a spool fills because the store is not written. */
function eventLogFindings({ overview, installation: { eventLog } }: Figures): Finding[] {
  if (eventLog === null) return [];
  const { spoolShare, oldestUnwrittenAt } = eventLog;
  const ageMs = oldestUnwrittenAt === null ? 0 : Date.parse(overview.time) - Date.parse(oldestUnwrittenAt);
  const full = `its room in Redis (EVENT_LOG_SPOOL) is used to ${percentText(spoolShare)}`;
  const then = 'Beyond 100 %, it loses events; they are delivered as before.';
  if (ageMs > JUDGED_ALERTS.MailhookEventLogNotWritten.threshold * 1000) {
    const since = timeText(String(oldestUnwrittenAt));
    const text = `The event log has not been written since ${since}, and ${full}. ${then}`;
    return [alerting('MailhookEventLogNotWritten', text, INSTALLATION)];
  }
  if (spoolShare <= JUDGED_ALERTS.MailhookEventLogSpoolFilling.threshold) return [];
  return [
    alerting('MailhookEventLogSpoolFilling', `The event log is written too slowly: ${full}. ${then}`, INSTALLATION),
  ];
}

function destinationFindings(figures: Figures): Finding[] {
  const { totals, destinations, oldestWaiting, time } = figures.overview;
  const parked = totals.parked - totals.parkedEmpty;
  const of = (state: string): string => pageUrl('destinations', '', { state });
  const most = destinations.filter(
    (one) => one.parked > JUDGED_ALERTS.MailhookManyParked.threshold && one.parked > one.busy / 2,
  );
  const old = oldestWaiting.filter(
    ({ acceptedAt }) =>
      acceptedAt !== null && Date.parse(time) - Date.parse(acceptedAt) > JUDGED_ALERTS.MailhookOldMail.threshold * 1000,
  );
  const is = (number: number): string => plural(number, 'destination is', 'destinations are');
  const { isComplete } = totals;
  const other = parked + totals.paused > 0 ? 'other ' : '';
  return [
    ...(parked > 0
      ? [
          {
            tone: 'bad' as const,
            text:
              `${isComplete ? '' : 'Up to '}${is(parked)} parked with events` +
              `${failingText(figures.overview, parked)}.`,
            href: of('parked'),
            runbook: RUNBOOK_RECEIVERS,
          },
        ]
      : []),
    ...(totals.late > 0
      ? [
          {
            tone: 'bad' as const,
            text:
              (isComplete ? '' : 'At least ') +
              plural(totals.late, `${other}destination holds`, `${other}destinations hold`) +
              ` events that are over a minute old.${backlogText(figures)}`,
            href: of('attention'),
            runbook: RUNBOOK_RECEIVERS,
          },
        ]
      : []),
    ...(totals.paused > 0 ? [{ tone: 'warn' as const, text: `${is(totals.paused)} paused.`, href: of('paused') }] : []),
    ...most.map(({ kind, parked: number }) =>
      alerting(
        'MailhookManyParked',
        `${is(number)} parked, over half of the ${kind} ones with events. Together they point to Mailhook's own ` +
          'network.',
        of('parked'),
      ),
    ),
    ...old.map(({ kind }) =>
      alerting(
        'MailhookOldMail',
        `A ${kind} event has waited for over two days. At WAITING_MAX_AGE it becomes a dead letter.`,
        of('waiting'),
      ),
    ),
  ];
}

/** The host with the most failing destinations of the report, and the cause if all of that host share it. */
function failingText({ attention, time }: Overview, parked: number): string {
  const groups = groupFailing(attention.filter(isParked), Date.parse(time));
  const hosts = [...new Set(groups.map(({ host }) => host))].map((host) => {
    const own = groups.filter((one) => one.host === host);
    return { host, causes: own.map(({ cause }) => cause), count: own.flatMap((one) => one.destinations).length };
  });
  const [most] = hosts.sort((a, b) => b.count - a.count);
  if (most === undefined) return parked === 1 ? ': its receiver fails' : ': their receivers fail';
  const recent = groups.reduce((sum, one) => sum + one.recent, 0);
  const some = most.count === parked ? 'all' : `${formatCount(most.count)} of them`;
  const why = most.causes.length === 1 ? `: ${String(most.causes[0])}` : ', for several causes';
  const since = `; ${recent === parked ? 'all' : formatCount(recent)} in the last minute`;
  return `${parked === 1 ? '' : `, ${some}`} at ${most.host}${why}${recent > 0 && parked > 1 ? since : ''}`;
}

const isParked = ({ state, breaker }: DestinationView): boolean => state !== 'paused' && breaker !== 'closed';

/** Whose events are late, and when the installation has delivered all waiting events. */
function backlogText({ overview: { attention, totals }, names, pace }: Figures): string {
  const late = attention.filter((view) => !isParked(view) && view.state !== 'paused' && view.state !== 'inactive');
  const sums = new Map<string, number>();
  for (const { account, undelivered } of late) sums.set(account, (sums.get(account) ?? 0) + undelivered);
  const [most] = [...sums].sort(([, a], [, b]) => b - a);
  if (most === undefined) return '';
  const [account, events] = most;
  const who =
    ` ${sums.size > 1 ? 'Most are' : 'They are'} of ${names.get(account) ?? account}: ` +
    `${plural(events, 'event', 'events')}.`;
  const net = pace.delivered - pace.accepted;
  if (pace.delivered === 0) return who;
  const end =
    net > 0
      ? `At the present pace, all waiting events are delivered in about ${spanText((totals.waiting / net) * 1000)}.`
      : 'More events are accepted than delivered, so the backlog grows.';
  return `${who} ${end}`;
}

/** Codes that a finding names. */
const CODES_SHOWN = 3;

/** One per producer. */
function producerFindings({ refused }: InstallationReport): Finding[] {
  const producers = [...new Set(refused.map(({ producer }) => producer))];
  return producers.map((producer): Finding => {
    const own = refused.filter((one) => one.producer === producer);
    const requests = own.reduce((sum, one) => sum + one.requests, 0);
    const codes = own.slice(0, CODES_SHOWN).map((one) => `${formatCount(one.requests)} ${one.code}`);
    const who = own[0]?.label ?? producer;
    const were = plural(requests, 'request', 'requests');
    return {
      tone: 'warn',
      text:
        `${were} of the producer ${who} ${requests === 1 ? 'was' : 'were'} refused within the last hour: ` +
        `${codes.join(', ')}.`,
      href: `${INSTALLATION}#refused`,
      runbook: RUNBOOK_REFUSED,
    };
  });
}

/** From this share of a limit on, an account is near it. */
const NEAR_LIMIT = 0.8;

function limitFindings({ accounts }: Figures): Finding[] {
  return accounts
    .filter(({ share }) => share >= NEAR_LIMIT)
    .map(({ id, name, share }): Finding => {
      const who = name === null ? id : `${name} (${id})`;
      const href = pageUrl('accounts', id);
      if (share > 1)
        return { tone: 'bad', text: `Account ${who} is over its limit, so its events are refused with 429.`, href };
      const text = `Account ${who} keeps ${percentText(share)} of what it may. At 100 %, events get 429.`;
      return { tone: 'warn', text, href };
    });
}

function deadLetterFindings({ newDeadEvents }: Figures): Finding[] {
  if (newDeadEvents <= JUDGED_ALERTS.MailhookDeadLetters.threshold) return [];
  const text = `At least ${plural(newDeadEvents, 'event', 'events')} became dead letters within the last hour.`;
  return [alerting('MailhookDeadLetters', text, pageUrl('dead-letters'))];
}
