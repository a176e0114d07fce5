import { attemptStatus, formatCount, eventType, sentence } from '@mailhook/core';
import type { DeliveryAttempt, Page } from '@mailhook/core';
import { adviceOn } from './advice.ts';
import { duration, masked, PAGE_PATH, section, timeOf, unseen } from '../html/elements.ts';
import { showLoaded } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { LiveView, PageQuery, View } from './view.ts';
import { isSigned, LISTED_MAX, linkTo, valueOf } from './view.ts';
import { attemptDetail, STATUS_NAMES, statusBadge } from './attempt-detail.ts';

/** Names of destinations by id, `campaign` included. */
export type DestinationNames = ReadonlyMap<string, string>;

export const destinationNames = (view: LiveView): DestinationNames =>
  new Map([
    ['campaign', 'Campaign webhook'],
    ...(valueOf(view.subscriptions) ?? []).map(({ id, type, address }) => [id, `${type} → ${address}`] as const),
  ]);

export function deliveriesSection(view: LiveView | View): Markup {
  const names = destinationNames(view);
  return section(
    {
      id: 'deliveries',
      title: 'Deliveries',
      lead: `Attempts, newest first. An attempt is one request to your server. It has failed if Mailhook must send one of its events again or gave one up. Mailhook keeps ${view.keptAttempts}.`,
      aside: markup`<span class="live" id="live-state" hidden></span>`,
    },
    markup`${'attempt' in view && view.attempt !== undefined && attemptDetail(view.attempt, names, view.question)}
${filterForm(view.question, names)}
<div class="card flush" id="log" data-part>${showLoaded(view.deliveries, (page) => log(page, names, view))}</div>`,
  );
}

function filterForm({ destination, status, type, from, to }: PageQuery, names: DestinationNames): Markup {
  const option = (value: string, text: string, chosen: string): Markup =>
    markup`<option value="${value}"${value === chosen && markup` selected`}>${text}</option>`;
  // The campaign webhook, and the subscriptions that are shown.
  const listed = [...names].slice(0, LISTED_MAX + 1);
  return markup`<form method="get" action="${PAGE_PATH}#deliveries" class="filter" id="filter" data-filter>
<div class="field"><label for="filter-destination">Destination</label>
<select id="filter-destination" name="destination">${option('', 'All destinations', destination)}${listed.map(
    ([id, name]) => option(id, name, destination),
  )}${
    destination !== '' &&
    listed.every(([id]) => id !== destination) &&
    option(destination, names.get(destination) ?? destination, destination)
  }</select></div>
<div class="field"><label for="filter-status">Outcome</label>
<select id="filter-status" name="status">${option('', 'All outcomes', status)}${attemptStatus.options.map((one) =>
    option(one, STATUS_NAMES[one], status),
  )}</select></div>
<div class="field"><label for="filter-type">Event</label>
<select id="filter-type" name="type">${option('', 'All events', type)}${eventType.options.map((one) => option(one, one, type))}</select></div>
<div class="field"><label for="filter-from">From (UTC)</label><input type="datetime-local" id="filter-from" name="from" value="${from}"></div>
<div class="field"><label for="filter-to">To (UTC)</label><input type="datetime-local" id="filter-to" name="to" value="${to}"></div>
<button class="button quiet" id="filter-show" data-without-script>Show</button>
</form>`;
}

const KIND_NAMES = { transactional: 'Notification', campaign: 'Batch', test: 'Test' } as const;

function log({ items, nextCursor }: Page<DeliveryAttempt>, names: DestinationNames, view: LiveView): Markup {
  const { question } = view;
  const { destination, status, type, from, to, cursor } = question;
  const isFiltered = [destination, status, type, from, to, cursor].some((value) => value !== '');
  const empty = !isFiltered
    ? markup`<strong>Nothing was delivered yet</strong>Press “Test connection” or “Send test notification”: tests are listed too.`
    : nextCursor !== undefined
      ? markup`<strong>Nothing matches so far</strong>Only a part of the attempts was searched. Press “Older” to search further.`
      : markup`<strong>Nothing matches</strong>Choose other filters, or wait: new deliveries show up here by themselves.`;
  return markup`<div role="table" aria-label="Delivery attempts" class="log">
<div role="rowgroup"><div role="row" class="head"><span role="columnheader">Time</span><span role="columnheader">Outcome</span><span role="columnheader">Destination</span><span role="columnheader">Events</span><span role="columnheader">Attempt</span><span role="columnheader">Reply</span></div></div>
<div role="rowgroup" id="log-rows" data-part data-list>${items.map((attempt) => row(attempt, names, view))}${
    items.length === 0 &&
    markup`<div role="row" class="empty" id="no-deliveries" data-part><span role="cell">${empty}</span></div>`
  }</div></div>
<p class="more" id="log-more" data-part>${question.cursor !== '' && markup`<a href="${linkTo(question, { cursor: '' }, 'deliveries')}">Newest</a> `}${
    nextCursor !== undefined && markup`<a href="${linkTo(question, { cursor: nextCursor }, 'deliveries')}">Older</a>`
  }</p>`;
}

function row(attempt: DeliveryAttempt, names: DestinationNames, view: LiveView): Markup {
  const { id, time, kind, address, events, status, httpStatus, durationMs, error, nextAttemptAt } = attempt;
  return markup`<div role="row" id="attempt-${id}" data-part>
<span role="cell">${timeOf(time)}</span>
<span role="cell">${statusBadge(status)}</span>
<span role="cell" class="where"><span class="address">${withoutScheme(masked(address))}</span>
<span class="muted">${KIND_NAMES[kind]}${ofDestination(attempt, names)}</span>
<a href="${linkTo(view.question, { attempt: id }, 'attempt')}">Request and reply${unseen(
    ` of the attempt at ${time}`,
  )}</a></span>
<span role="cell" class="number" data-name="Events">${formatCount(events)}</span>
<span role="cell" class="number" data-name="Attempt">${attempt.attempt}</span>
<span role="cell" class="number" data-name="Reply">${httpStatus === undefined ? 'None' : `HTTP ${httpStatus}`} <span class="muted">${duration(durationMs)}</span></span>
${
  (error !== undefined || nextAttemptAt !== undefined) &&
  markup`<span role="cell" class="why">${explanation(attempt, hasSecret(attempt, view))}</span>`
}
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

const explanation = ({ status, error, nextAttemptAt }: DeliveryAttempt, signed: boolean): Markup =>
  markup`${error !== undefined && markup`<span>${sentence(masked(error))}</span>`}${
    error !== undefined && status !== 'delivered' && markup`<span class="muted">${adviceOn(error, signed)}</span>`
  }${nextAttemptAt !== undefined && markup`<span>Next attempt: ${timeOf(nextAttemptAt)}</span>`}`;
