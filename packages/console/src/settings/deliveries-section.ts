import { attemptStatus, formatCount, eventType, sentence } from '@mailhook/core';
import type { DeliveryAttempt, Page } from '@mailhook/core';
import { adviceOn } from './advice.ts';
import { splitText } from './batch-story.ts';
import { badge, duration, masked, timeOf, unseen } from '../html/elements.ts';
import { showLoaded } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { pathOf, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { LiveView, View } from './view.ts';
import { isFolded, isSigned, valueOf } from './view.ts';
import { attemptDetail } from './attempt-detail.ts';
import { STATUS_NAMES, statusBadge } from './status-badge.ts';

/** Names of destinations by id, `campaign` included. */
export type DestinationNames = ReadonlyMap<string, string>;

export const destinationNames = (view: LiveView): DestinationNames =>
  new Map([
    ['campaign', 'Campaign webhook'],
    ...(valueOf(view.subscriptions) ?? []).map(({ id, type, address }) => [id, `${type} → ${address}`] as const),
  ]);

/** The list of attempts with its filters, and beside it the one that is open. */
export function deliveriesList(view: LiveView | View): Markup {
  const names = destinationNames(view);
  const attempt = 'attempt' in view ? view.attempt : undefined;
  return markup`${filterForm(view.question, names)}
<div class="split${attempt !== undefined && ' is-open'}" id="split">
${deliveryLog(view)}
<div id="panel" data-part>${
    attempt !== undefined && attemptDetail(attempt, names, view.question, (one) => hasSecret(one, view))
  }</div></div>
${keptNote(view)}`;
}

/** The list alone. */
export const deliveryLog = (view: LiveView): Markup =>
  markup`<div class="card flush" id="log" data-part>${showLoaded(view.deliveries, (page) => log(page, destinationNames(view), view))}</div>`;

export const DELIVERIES_LEAD =
  'Every request to your servers, newest first. An attempt has failed if Mailhook must send one of its events again or gave one up.';

/** Which attempts the list has. */
export const keptNote = ({ keptAttempts }: Pick<LiveView, 'keptAttempts'>): Markup =>
  markup`<p class="hint kept">Mailhook keeps ${keptAttempts}.</p>`;

/** Whether the list is fresh. The script shows it. */
export const liveState = markup`<span class="live" id="live-state" hidden></span>`;

function filterForm({ endpoint, destination, status, type, from, to }: PageQuestion, names: DestinationNames): Markup {
  const option = (value: string, text: string, chosen: string): Markup =>
    markup`<option value="${value}"${value === chosen && markup` selected`}>${text}</option>`;
  const isGone = destination !== '' && !names.has(destination);
  return markup`<form method="get" class="filter" id="filter" data-filter>
${
  endpoint === ''
    ? markup`<div class="field"><label for="filter-destination">Endpoint</label>
<select id="filter-destination" name="destination">${option('', 'All endpoints', destination)}${[...names].map(
        ([id, name]) => option(id, name, destination),
      )}${isGone && option(destination, destination, destination)}</select></div>`
    : markup`<input type="hidden" name="tab" value="deliveries">`
}
<div class="field"><label for="filter-status">Outcome</label>
<select id="filter-status" name="status">${option('', 'All outcomes', status)}${attemptStatus.options.map((one) =>
    option(one, STATUS_NAMES[one], status),
  )}</select></div>
<div class="field"><label for="filter-type">Event</label>
<select id="filter-type" name="type">${option('', 'All events', type)}${eventType.options.map((one) => option(one, one, type))}</select></div>
<details id="period"${(from !== '' || to !== '') && markup` open`}><summary class="button quiet">Period</summary><div class="row">
<div class="field"><label for="filter-from">From (UTC)</label><input type="datetime-local" id="filter-from" name="from" value="${from}"></div>
<div class="field"><label for="filter-to">To (UTC)</label><input type="datetime-local" id="filter-to" name="to" value="${to}"></div></div></details>
<button class="button quiet" id="filter-show" data-without-script>Show</button>
</form>`;
}

const KIND_NAMES = { transactional: 'Notification', campaign: 'Batch', test: 'Test' } as const;

function log({ items, nextCursor }: Page<DeliveryAttempt>, names: DestinationNames, view: LiveView): Markup {
  const { question } = view;
  const { destination, status, type, from, to, cursor } = question;
  const isFiltered = [destination, status, type, from, to, cursor].some((value) => value !== '');
  const empty = !isFiltered
    ? markup`<strong>Nothing was delivered yet</strong>Test an endpoint: tests are listed too.`
    : nextCursor !== undefined
      ? markup`<strong>Nothing matches so far</strong>Only a part of the attempts was searched. Press “Older” to search further.`
      : markup`<strong>Nothing matches</strong>Choose other filters, or wait: new deliveries show up here by themselves.`;
  return markup`<div role="table" aria-label="Delivery attempts" class="log">
<div role="rowgroup"><div role="row" class="head"><span role="columnheader">Time</span><span role="columnheader">Outcome</span><span role="columnheader">Endpoint</span><span role="columnheader">Events</span><span role="columnheader">Attempt</span><span role="columnheader">Reply</span></div></div>
<div role="rowgroup" id="log-rows" data-part data-list>${items.map((attempt) => row(attempt, items, names, view))}${
    items.length === 0 &&
    markup`<div role="row" class="empty" id="no-deliveries" data-part><span role="cell">${empty}</span></div>`
  }</div></div>
<p class="more" id="log-more" data-part>${isShort(question) && markup`<a href="${question.endpoint === '' ? pathOf('deliveries') : urlOf(question, { tab: 'deliveries' })}">All deliveries</a>`}${!isShort(question) && question.cursor !== '' && markup`<a href="${urlOf(question, { cursor: '' })}">Newest</a> `}${
    !isShort(question) &&
    nextCursor !== undefined &&
    markup`<a href="${urlOf(question, { cursor: nextCursor })}">Older</a>`
  }</p>`;
}

/** The first tab of an endpoint shows the newest attempts only. */
const isShort = ({ page, tab }: PageQuestion): boolean => page !== 'deliveries' && tab !== 'deliveries';

function row(
  attempt: DeliveryAttempt,
  listed: readonly DeliveryAttempt[],
  names: DestinationNames,
  view: LiveView,
): Markup {
  const { id, time, kind, address, events, status, httpStatus, durationMs, split } = attempt;
  const { question } = view;
  // The first tab of an endpoint has no room for an open attempt.
  const target =
    question.endpoint === '' || question.tab === 'deliveries' ? question : { ...question, tab: 'deliveries' as const };
  const folded = isFolded(question) ? split : undefined;
  const why = folded === undefined ? explanation(attempt, listed, target, view) : foldedNote(attempt, view);
  return markup`<div role="row" id="attempt-${id}" data-part${question.attempt === id && markup` class="is-chosen"`}>
<span role="cell">${timeOf(time)}</span>
<span role="cell">${folded === undefined ? statusBadge(status) : badge('plain', 'Split')}</span>
<span role="cell" class="where"><a class="whole" href="${urlOf(target, { attempt: id })}" data-open>${unseen(
    `Request and reply of the attempt at ${time} `,
  )}<span class="address">${withoutScheme(masked(address))}</span></a>
<span class="muted">${KIND_NAMES[kind]}${ofDestination(attempt, names)}</span></span>
<span role="cell" class="number" data-name="Events">${folded === undefined ? formatCount(events) : '–'}</span>
<span role="cell" class="number" data-name="Attempt">${folded?.attempt ?? attempt.attempt}</span>
<span role="cell" class="number" data-name="Reply">${httpStatus === undefined ? 'None' : `HTTP ${httpStatus}`} <span class="muted">${duration(durationMs)}</span></span>
${why !== undefined && markup`<span role="cell" class="why">${why}</span>`}
</div>`;
}

const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, '');

function ofDestination({ kind, subscription }: DeliveryAttempt, names: DestinationNames): string {
  if (kind === 'campaign') return ' to the campaign webhook';
  if (subscription === undefined) return '';
  const name = names.get(subscription);
  return name === undefined ? ' of a deleted subscription' : ` of ${name.split(' ', 1).join('')}s`;
}

/** Judged by the present secrets, so that the advice changes with them. A test has only an address. */
function hasSecret({ kind, subscription, address }: DeliveryAttempt, view: LiveView): boolean {
  const { signing, campaign, subscriptions } = view;
  if (signing === undefined) return true;
  const isCampaign = kind === 'campaign' || (kind === 'test' && valueOf(campaign)?.address === address);
  const tested = () => valueOf(subscriptions)?.find((one) => one.address === address)?.id ?? '';
  return isSigned(signing, isCampaign ? 'campaign' : (subscription ?? tested()));
}

/** Why an attempt failed, what to do, and what followed or follows. */
function explanation(
  attempt: DeliveryAttempt,
  listed: readonly DeliveryAttempt[],
  question: PageQuestion,
  view: LiveView,
): Markup | undefined {
  const { id, status, error, nextAttemptAt, webhookId } = attempt;
  if (error === undefined && nextAttemptAt === undefined) return undefined;
  const later = listed.find(
    (other) =>
      (other.webhookId === webhookId && other.attempt > attempt.attempt) ||
      (other.split !== undefined && other.split.attempt === attempt.attempt && id.startsWith(`${other.split.id}-`)),
  );
  return markup`${error !== undefined && markup`<span>${sentence(masked(error))}</span> `}${
    error !== undefined &&
    status !== 'delivered' &&
    markup`<span class="muted">${adviceOn(error, hasSecret(attempt, view))}</span> `
  }${later === undefined && nextAttemptAt !== undefined && markup`<span>Next attempt: ${timeOf(nextAttemptAt)}</span>`}${
    later?.status === 'delivered' &&
    markup`<span>Delivered by <a href="${urlOf(question, { attempt: later.id })}" data-open>attempt ${later.attempt}</a>, ${timeOf(later.time)}</span>`
  }`;
}

/** Stands for all requests that a batch was split in. The opened attempt lists them. */
const foldedNote = (attempt: DeliveryAttempt, view: LiveView): Markup =>
  markup`<span>${splitText(attempt, attempt.split?.requests)}.</span> ${attempt.error !== undefined && markup`<span class="muted">${sentence(masked(attempt.error))} ${adviceOn(attempt.error, hasSecret(attempt, view))}</span>`}`;
