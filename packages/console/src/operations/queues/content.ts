import { bytesText, formatCount, percentText, plural } from '@mailhook/core';
import type { InstallationReport, OperationsReport } from '@mailhook/core';
import { agoOf, factList, section, timeOf } from '../../html/elements.ts';
import type { Fact } from '../../html/elements.ts';
import { spanOf, tookOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { pageUrl, runbookUrl } from '../navigation.ts';
import { keptFor } from '../view.ts';

/** Figures that never rest have few digits here, so that a page at rest stays as it is, and its updates are empty. */
const aboutMillis = (ms: number): string => (ms < 1 ? 'under 1 ms' : `${ms.toFixed()} ms`);
const aboutBytes = (bytes: number): string =>
  bytes < 10_000_000 ? 'under 10 MB' : bytesText(Number(bytes.toPrecision(2))).replace('.0 ', ' ');

/** The reading of a clock takes time itself. */
const CLOCKS_DIFFER_MS = 1000;

const STATES = ['waiting', 'active', 'delayed', 'failed', 'paused'] as const;

/** What the jobs of a queue are, by the end of its name. */
const JOBS = {
  'email-events': 'Events of Redis-fed producers',
  'events-rejected': 'Events that were rejected',
  deactivations: 'Destinations to switch off after a 410',
  alerts: 'Alerts to customers',
  chunks: 'Accepted events on the way to mailboxes',
  resends: 'Resends that are due later',
  parks: 'Ends of parkings',
  'dead-letters': 'Batches that were given up',
};

const jobsOf = (queue: string): string | undefined => Object.entries(JOBS).find(([end]) => queue.endsWith(end))?.[1];

/** The jobs of each queue, and the Redis that holds them, as this replica of the api sees them. */
export const queuesContent = ({ installation, unjudgedAlerts, attemptLog, time }: OperationsReport): Markup =>
  html`<div class="card flush" id="queues" data-part>
      <table class="table static">
        <caption class="unseen">
          Jobs by queue and state
        </caption>
        <thead>
          <tr>
            <th scope="col">Queue</th>
            ${STATES.map((state) => html`<th scope="col" class="number">${nameOf(state)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${installation.queues.map(
            (queue) =>
              html`<tr>
                <th scope="row">${jobsOf(queue.queue)}<code class="why">${queue.queue}</code></th>
                ${STATES.map(
                  (state) =>
                    html`<td class="number${queue[state] === 0 && ' muted none'}" data-name="${nameOf(state)}">
                      ${queue[state] === 0 ? '–' : formatCount(queue[state])}
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <div id="refused-requests" data-part>${refusedSection(installation)}</div>
    <div id="installation" data-part>
      ${factSection('redis', 'Redis', 'As this replica of the api sees it.', [
        ...redisFacts(installation),
        ['Delivered attempts are kept for', keptFor(attemptLog, time)],
      ])}
      ${factSection(
        'functions',
        'Functions in Redis',
        'How long those of Mailhook keep it busy.',
        scriptFacts(installation),
      )}
      ${eventLogSection(installation)}
      ${section(
        {
          id: 'unjudged',
          title: 'Alerts that only Prometheus can judge',
          lead: 'The overview does not show their conditions.',
        },
        html`<details class="example" id="unjudged-alerts">
          <summary>${plural(Object.keys(unjudgedAlerts).length, 'alert', 'alerts')}</summary>
          ${factList(Object.entries(unjudgedAlerts), 'even')}
        </details>`,
      )}
    </div>`;

/** Requests that the intake refused, by producer and code. */
const refusedSection = ({ refused }: InstallationReport): Markup =>
  section(
    {
      id: 'refused',
      title: 'Refused requests of producers',
      lead: html`In the last hour, over HTTP. Nothing of such a request was accepted.
        <a href="${runbookUrl('refused-requests-of-producers')}">What to do</a>`,
    },
    refused.length === 0
      ? html`<p class="card muted">None.</p>`
      : html`<div class="card flush">
          <table class="table static">
            <caption class="unseen">
              Refused requests by producer and code
            </caption>
            <thead>
              <tr>
                <th scope="col">Producer</th>
                <th scope="col">Code</th>
                <th scope="col" class="number">Requests</th>
                <th scope="col" class="wide">Last one</th>
              </tr>
            </thead>
            <tbody>
              ${refused.map(
                ({ producer, label, code, requests, lastAt }) =>
                  html`<tr>
                    <th scope="row">
                      <a href="${pageUrl('tokens')}">${label ?? producer}</a>${
                        label !== null && label !== producer && html` <code>${producer}</code>`
                      }
                    </th>
                    <td><code>${code.split('_').map((word, i) => html`${i > 0 && html`_<wbr />`}${word}`)}</code></td>
                    <td class="number">${formatCount(requests)}</td>
                    <td class="wide">${agoOf(lastAt)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`,
  );

const nameOf = (state: (typeof STATES)[number]): string => `${state.charAt(0).toUpperCase()}${state.slice(1)}`;

const factSection = (id: string, title: string, lead: string, facts: readonly Fact[]): Markup =>
  section({ id, title, lead }, factList(facts, 'even'));

const EVENT_LOG_LEAD = 'What is accepted, kept for a while outside of Redis.';

const NO_ANSWER = 'unknown, because it does not answer';

const eventLogSection = ({ eventLog }: InstallationReport): Markup =>
  eventLog === null
    ? section(
        { id: 'event-log', title: 'Event log', lead: EVENT_LOG_LEAD },
        html`<p class="card muted">Off: <code>EVENT_LOG</code> is not set.</p>`,
      )
    : factSection('event-log', 'Event log', EVENT_LOG_LEAD, [
        ['Waits in Redis', bytesText(eventLog.bufferBytes)],
        ['Room in Redis used (EVENT_LOG_SPOOL)', percentText(eventLog.spoolShare)],
        [
          'Oldest event not written',
          eventLog.oldestUnwrittenAt === null ? 'none' : html`of ${timeOf(eventLog.oldestUnwrittenAt)}`,
        ],
        ['In the store', eventLog.storedBytes === null ? NO_ANSWER : bytesText(eventLog.storedBytes)],
        ['Segments', eventLog.segments === null ? NO_ANSWER : formatCount(eventLog.segments)],
        ['Oldest stored event', eventLog.oldestAt === null ? 'none' : html`of ${timeOf(eventLog.oldestAt)}`],
        ['Events that it lacks', eventLog.gapEvents === 0 ? 'none' : formatCount(eventLog.gapEvents)],
        [
          'The store takes (95 of 100 operations)',
          eventLog.storeP95Ms === null ? 'not measured yet' : html`at most ${tookOf(eventLog.storeP95Ms)}`,
        ],
      ]);

function redisFacts({ redis, redisFindings, intake }: InstallationReport): Fact[] {
  const refusal: Fact = [
    'Intake',
    intake.refusingSince === null
      ? 'accepts events'
      : html`has refused all events since ${timeOf(intake.refusingSince)}: ${intake.reason ?? ''}`,
  ];
  const notes = redisFindings
    .filter(({ severity }) => severity !== 'fault')
    .map(({ severity, text }): Fact => [severity === 'risk' ? 'Risk' : 'Not checked', text]);
  if (redis === null) return [refusal, ['Figures', 'Redis forbids INFO'], ...notes];
  const { memory, disk } = redis;
  return [
    refusal,
    [
      'Memory',
      memory.limitBytes === null
        ? `${aboutBytes(memory.usedBytes)} used, no maxmemory`
        : `${aboutBytes(memory.usedBytes)} of ${bytesText(memory.limitBytes)} used`,
    ],
    ['Append-only file', redis.appendonly === 'yes' ? aboutBytes(disk.fileBytes) : 'off'],
    [
      'Free space on its disk',
      disk.freeBytes === null ? 'unknown, because Redis does not report it' : aboutBytes(disk.freeBytes),
    ],
    ['appendfsync', redis.appendfsync],
    ['maxmemory-policy', redis.policy],
    ['Replicas', formatCount(redis.replicas)],
    ['Version', redis.version],
    ['Clock of this api', clockText(redis.clockSkewMs)],
    ...notes,
  ];
}

const clockText = (aheadMs: number): Content =>
  Math.abs(aheadMs) < CLOCKS_DIFFER_MS
    ? 'that of Redis, within 1\u00a0s'
    : [spanOf(Math.abs(aheadMs)), aheadMs < 0 ? ' behind' : ' ahead'];

function scriptFacts({ scripts }: InstallationReport): Fact[] {
  if (scripts === null) return [['Times', 'unknown, because Redis forbids INFO']];
  return [
    ['Mean', aboutMillis(scripts.meanMs)],
    ...(scripts.p99Ms === null ? [] : [['99 % are faster than', aboutMillis(scripts.p99Ms)] as const]),
    [
      'Slow ones of the last hour',
      scripts.slow.length === 0
        ? 'none'
        : scripts.slow.map(
            ({ script, tookMs, at }, i) => html`${i > 0 && ', '}${script} ${tookOf(tookMs)} (${timeOf(at)})`,
          ),
    ],
  ];
}
