import {
  EVERY_TYPE,
  formatCount,
  OPERATIONS_ACCOUNT,
  plural,
  RESENDS_READ,
  sumOfCounts,
  typesIn,
  HISTORY_RANGES,
} from '@mailhook/core';
import type { CodedText, DestinationView, RecentAttempts, ShownDestination } from '@mailhook/core';
import { agoOf, badge, factList, hidden, notice, section, timeOf } from '../../html/elements.ts';
import { tookOf } from '../../html/formats.ts';
import { html, trustedHtml } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { NOBODY } from '../../html/reader.ts';
import {
  accountLink,
  excerpt,
  failuresText,
  maskedAddress,
  nextOf,
  shortfallOf,
} from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import { tileList } from '../overview/tiles.ts';
import { chartPair } from '../../page/charts.ts';
import { adviceOn } from '../../messages/advice.ts';
import { runbookUrl } from '../navigation.ts';
import type { PageContext } from '../view.ts';

/** What a destination does, and what an operator can do about it. */
export const destinationContent = (
  view: DestinationView,
  settings: ShownDestination | undefined,
  recent: RecentAttempts,
  context: PageContext,
): Markup =>
  html`<div id="trouble-of" data-part>${trouble(view, recent, context.nowMs)}</div>
    ${actionsSection(view, context)} ${figuresOf(view)} ${recentSections(view.id, recent)}
    <div id="destination" data-part>
      <h2>How it is set</h2>
      ${factList([...factsOf(view, context), ...settingsFacts(settings)])}
    </div>`;

/** What its customer sees, without what requests and replies held. */
function recentSections(id: string, { attempts, history, deadlineMs }: RecentAttempts): Markup {
  const { delivered, failed } = sumOfCounts(history);
  const charted = { id, bars: history, barMs: HISTORY_RANGES['24h'].barMs, deadlineMs };
  return html`<section class="charts" id="history" aria-labelledby="history-title" data-part>
      <header><h2 id="history-title">Last 24 hours</h2></header>
      ${delivered + failed === 0 ? html`<p class="card muted">Nothing was sent in this time.</p>` : chartPair(charted)}
    </section>
    ${section(
      {
        id: 'attempts',
        title: 'Latest attempts',
        lead: 'Without recipients and replies, which only the customer sees.',
      },
      html`<div class="card flush" id="latest" data-part>
        ${
          attempts.length === 0
            ? html`<p class="empty"><strong>None</strong>Nothing was sent to it in the last 7 days.</p>`
            : attemptTable(attempts)
        }
      </div>`,
    )}`;
}

const STATUSES = { delivered: ['good', 'Delivered'], failed: ['warn', 'Failed'], dead: ['bad', 'Given up'] } as const;

const attemptTable = (attempts: RecentAttempts['attempts']): Markup =>
  html`<table class="table static">
    <caption class="unseen">
      Latest attempts
    </caption>
    <thead>
      <tr>
        <th scope="col">Sent</th>
        <th scope="col">Outcome</th>
        <th scope="col" class="number">Reply</th>
        <th scope="col" class="number wide">Took</th>
        <th scope="col" class="number wide">Attempt</th>
        <th scope="col" class="number wide">Events</th>
      </tr>
    </thead>
    <tbody>
      ${attempts.map(
        ({ time, status, httpStatus, durationMs, attempt, events }) =>
          html`<tr>
            <th scope="row">${agoOf(time)}</th>
            <td>${badge(STATUSES[status][0], STATUSES[status][1])}</td>
            <td class="number">${httpStatus ?? 'No reply'}</td>
            <td class="number wide">${tookOf(durationMs)}</td>
            <td class="number wide">${formatCount(attempt)}</td>
            <td class="number wide">${formatCount(events)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;

/** Sections of the runbook. */
const RUNBOOK_RECEIVERS = runbookUrl('receivers');
const RUNBOOK_OWN_NETWORK = runbookUrl('MailhookDeliveriesFailing');

/** The problem of a destination, and below it the next step for an operator. */
function trouble(view: DestinationView, recent: RecentAttempts, nowMs: number): Content {
  const { failures, lastError, inactiveReason, undelivered, oldestWaitingAt, state } = view;
  const told = (tone: 'warn' | 'bad', what: Content, remedy: Content, url = RUNBOOK_RECEIVERS): Markup =>
    notice(tone, html`${what}<span class="remedy">${remedy} <a href="${url}">Runbook</a></span>`);
  if (inactiveReason !== undefined)
    return told('warn', `Switched off: ${excerpt(String(inactiveReason))}`, 'Its customer can switch it on again.');
  if (failures > 0 && lastError !== undefined) {
    const last = recent.attempts.find(({ status }) => status !== 'delivered');
    const at = last && [', the last one at ', timeOf(last.time)];
    const what = [failuresText(failures), ' in a row', at, ': ', excerpt(String(lastError)), '.'];
    const isAnswered = last?.httpStatus !== undefined;
    const url = isAnswered ? RUNBOOK_RECEIVERS : RUNBOOK_OWN_NETWORK;
    return told(undelivered > 0 ? 'bad' : 'warn', what, remedyOf(view, lastError, recent, isAnswered), url);
  }
  const shortfall = shortfallOf(view);
  if (shortfall !== undefined)
    return told('warn', [`${shortfall}, in the last hour.`, recovery(recent)], 'Its customer sees the causes too.');
  const isLate = oldestWaitingAt !== undefined && Date.parse(oldestWaitingAt) < nowMs - LATE_MS;
  const lateness = 'A worker is missing, or the receiver is slower than its events come.';
  return (
    isLate &&
    (state === 'waiting' || state === 'sending') &&
    told('warn', 'No attempt failed, but events wait for over a minute.', lateness)
  );
}

const LATE_MS = 60_000;

function remedyOf(
  { state, resends }: DestinationView,
  cause: CodedText,
  { deadlineMs }: RecentAttempts,
  isAnswered: boolean,
): Content {
  const button = state === 'parked' ? 'Try one event now' : resends > 0 ? 'Send all now' : undefined;
  return [
    'Its customer must fix this, and reads there: “',
    trustedHtml(html`${adviceOn(cause, false)}`.toString({ ...NOBODY, deadlineMs })),
    '” ',
    !isAnswered && 'If other hosts do not answer either, check the network of Mailhook itself. ',
    button !== undefined && state !== 'paused' && `Once repaired, press “${button}”, or wait for the next attempt.`,
  ];
}

/** An hour with failures is "Degraded" to its end, also if the receiver is repaired. */
function recovery({ attempts }: RecentAttempts): Content {
  const lastFailed = attempts.findIndex(({ status }) => status !== 'delivered');
  const since = attempts.at(lastFailed === -1 ? -1 : lastFailed - 1);
  if (lastFailed === 0 || since === undefined) return undefined;
  return [
    ' It recovers: every request was acknowledged since ',
    timeOf(since.time),
    '. The state follows within an hour.',
  ];
}

/** What it does now. */
function figuresOf(view: DestinationView): Markup {
  const { undelivered, oldestWaitingAt, resends, inFlight, lastHour, pausedUntil, pausedBy, state } = view;
  const { delivered, failed, confirmed } = lastHour;
  const isEstimated = resends > RESENDS_READ;
  const oldest = oldestWaitingAt === undefined ? 'None waits' : ['Oldest ', agoOf(oldestWaitingAt)];
  const next =
    pausedUntil === undefined
      ? { name: 'Next attempt', value: nextOf(view) ?? 'None due', hint: state === 'parked' ? 'One event' : undefined }
      : {
          name: 'Paused until',
          value: timeOf(pausedUntil),
          hint: `By ${pausedBy === 'customer' ? 'the customer' : 'an operator'}`,
        };
  return html`<div id="figures" data-part>
    ${tileList([
      {
        name: 'Events waiting',
        value: `${isEstimated ? 'About ' : ''}${formatCount(undelivered)}`,
        hint: [oldest, isEstimated && oldestWaitingAt !== undefined && ' or earlier'],
      },
      next,
      {
        name: 'Delivered in the last hour',
        value: plural(confirmed, 'event', 'events'),
        hint: `${formatCount(failed)} of ${plural(delivered + failed, 'attempt', 'attempts')} failed`,
      },
      { name: 'In flight', value: formatCount(inFlight), hint: `${plural(resends, 'resend', 'resends')} scheduled` },
    ])}
  </div>`;
}

function factsOf(view: DestinationView, { names }: PageContext): readonly (readonly [string, Content])[] {
  return [
    ['Account', accountLink(view.account, names)],
    ['Address', html`<span class="address">${maskedAddress(view.address)}</span>`],
    ['Id', html`<code>${view.id}</code>`],
    ...(view.failures === 0 && view.lastError !== undefined
      ? [['Last error', excerpt(String(view.lastError))] as const]
      : []),
  ];
}

/** What the customer has set. Of a filter only the keys, because its values may identify people. */
function settingsFacts(settings: ShownDestination | undefined): readonly (readonly [string, Content])[] {
  if (settings === undefined) return [];
  const { module, types, version, shape, maxEvents, concurrency, maxRequestsPerSecond, filter } = settings;
  const count = typesIn(module, types).length;
  const most = shape === 'single' ? '' : ` of up to ${formatCount(maxEvents)}`;
  return [
    ['Module', html`<code>${module}</code>`],
    ['Types', types.includes(EVERY_TYPE) ? 'All, also those to come' : `${count}: ${types.join(', ')}`],
    ['Body', `Version ${version}`],
    ['Requests', `${shape}${most}`],
    ...(concurrency === null ? [] : [['Most in flight', formatCount(concurrency)] as const]),
    ...(maxRequestsPerSecond === null ? [] : [['Most per second', formatCount(maxRequestsPerSecond)] as const]),
    ...(filter === null ? [] : [['Filter', `${Object.keys(filter).join(', ')} (values are hidden)`] as const]),
  ];
}

const PAUSES = [
  ['60', '1 hour'],
  ['360', '6 hours'],
  ['1440', '1 day'],
  ['10080', '1 week'],
] as const;

/** Each button keeps its place while the state changes under the pointer: the page updates itself. */
function actionsSection(view: DestinationView, { deadLettersDays }: PageContext): Markup {
  const { id, state, address, account } = view;
  const isOn = state !== 'inactive';
  const form = (fields: Content): Markup => buttonForm(html`${hidden('destination', id)}${fields}`);
  const button = (name: string, text: string, unless: Content = false, look = 'quiet'): Markup =>
    form(
      html`<button
        class="button ${look}"
        name="do"
        value="${name}"
        ${unless !== false && html`disabled title="${unless}"`}
      >
        ${text}
      </button>`,
    );
  const isParked = state === 'parked';
  const canSend = isOn && state !== 'paused' && view.resends > 0;
  return html`<section class="operator-actions" id="actions" aria-labelledby="actions-title">
    <h2 class="unseen" id="actions-title">Actions</h2>
    <div class="card stops">
      <div class="row" id="act" data-part>
        ${button('probe', 'Try one event now', !isParked && 'Only while it is parked', isParked ? 'primary' : 'quiet')}
        ${button('send-now', 'Send all now', !canSend && 'Only while resends are scheduled')}
        ${maskedAddress(address) !== address && button('show-address', 'Show address')}
        ${
          account !== OPERATIONS_ACCOUNT &&
          buttonForm(
            html`${hidden('account', account)}${hidden('access', 'read')}<button
                class="button quiet"
                name="do"
                value="open-as-customer"
              >
                Open as customer
              </button>`,
          )
        }
        ${state === 'paused' ? button('resume', 'Resume') : isOn && pauseForm(form)}
      </div>
      ${
        isOn &&
        confirmed(
          {
            id: 'give-up',
            summary: 'Give up…',
            text:
              'All undelivered events of this destination become dead letters. ' +
              `They are kept for ${deadLettersDays} days and can be delivered again.`,
            type: id,
            button: 'Give up waiting events',
            value: 'drop',
          },
          form,
        )
      }
      <p class="hint">The audit log records each action.</p>
    </div>
  </section>`;
}

const pauseForm = (form: (fields: Content) => Markup): Markup =>
  form(
    html`<label class="unseen" for="minutes">Pause for</label
      ><select id="minutes" name="minutes">
        ${PAUSES.map(([minutes, text]) => html`<option value="${minutes}">${text}</option>`)}</select
      ><button class="button quiet" name="do" value="pause">Pause</button>`,
  );
