import { attemptStatus, eventType, subscriptionOf } from '@mailhook/core';
import type { DeliveryAttempt, DeliveryAttemptDetail, Page } from '@mailhook/core';
import { adviceOn } from '../shared/advice.ts';
import { deliveredByText, splitText } from './batch-story.ts';
import { badge, shortAddress, timeOf, timeWords, unseen } from '../../html/elements.ts';
import { count, spanOf, tookOf } from '../../html/formats.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { periodField } from '../shared/period.ts';
import { pathOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import { attemptDetail } from './attempt-detail.ts';
import { statusBadge } from './status-badge.ts';
import type { Frame } from '../family.ts';
import { isSigned, isUnread, valueOf } from '../loaded.ts';
import { endpointName, nameWithAddress } from '../shared/endpoints.ts';
import { isFolded } from '../parts.ts';
import type { WithDeliveries } from '../parts.ts';
import type { Loaded } from '../loaded.ts';

type DeliveriesView = Frame & WithDeliveries;

type OpenedView = DeliveriesView & { readonly attempt: Loaded<DeliveryAttemptDetail> | undefined };

/** Names of destinations by id, `campaign` included. */
export type DestinationNames = ReadonlyMap<string, Content>;

export const destinationNames = (view: Pick<Frame, 'destinations'>): DestinationNames =>
  new Map<string, Content>([
    ...(valueOf(view.destinations) ?? []).map((one) => [one.id, nameWithAddress(one)] as const),
    ['campaign', texts.deliveries.campaign],
  ]);

/** The list of attempts with its filters, and beside it the one that is open. */
export function deliveriesList(view: OpenedView): Markup {
  const names = destinationNames(view);
  const { attempt } = view;
  return html`${filterForm(view.question, names)}
    <div class="split${attempt !== undefined && ' is-open'}" id="split">
      ${deliveryLog(view)}
      <div id="panel" data-part>
        ${attempt !== undefined && attemptDetail(attempt, names, view.question, (one) => hasSecret(one, view))}
      </div>
    </div>
    <p class="hint kept">${keptText(view)}${deliveredFor(view)}</p>`;
}

/** How long delivered attempts are kept at present, if the log has no room for more. */
function deliveredFor({ deliveries, nowMs }: DeliveriesView): Content {
  const since = valueOf(deliveries)?.deliveredSince;
  if (since === undefined) return '';
  return [' ', texts.deliveries.deliveredFor({ span: spanOf(nowMs - Date.parse(since)) })];
}

/** The list alone. */
export const deliveryLog = (view: DeliveriesView): Markup =>
  html`<div class="card flush" id="log" data-part>${showLoaded(view.deliveries, (page) => log(page, view))}</div>`;

/** Which attempts the list has. */
export function keptText({ kept }: Pick<WithDeliveries, 'kept'>): Localized {
  const { attempts, megabytes, days, perSecond, perSecondOfAll } = kept;
  return texts.deliveries.keeps({
    attempts: count(attempts),
    megabytes: count(megabytes),
    days,
    perSecond: count(perSecond),
    perSecondOfAll: count(perSecondOfAll),
  });
}

/** Whether the list is fresh. The script shows it. */
export const liveState = html`<span
  class="live"
  id="live-state"
  data-on="${texts.script.live}"
  data-cut="${texts.script.paused}"
  hidden
></span>`;

function filterForm(question: PageQuestion, names: DestinationNames): Markup {
  const { endpoint, destination, status, type } = question;
  const option = (value: string, text: Content, chosen: string): Markup =>
    html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`;
  const isGone = destination !== '' && !names.has(destination);
  return html`<form method="get" class="filter" id="filter" data-filter>
    ${
      endpoint === ''
        ? html`<div class="field">
            <label for="filter-destination">${texts.deliveries.endpoint}</label>
            <select id="filter-destination" name="destination">
              ${option('', texts.deliveries.allEndpoints, destination)}${[...names].map(([id, name]) =>
                option(id, name, destination),
              )}${isGone && option(destination, destination, destination)}
            </select>
          </div>`
        : html`<input type="hidden" name="tab" value="deliveries" />`
    }
    <div class="field">
      <label for="filter-status">${texts.deliveries.outcome}</label>
      <select id="filter-status" name="status">
        ${option('', texts.deliveries.allOutcomes, status)}${attemptStatus.options.map((one) =>
          option(one, texts.deliveries[one], status),
        )}
      </select>
    </div>
    <div class="field">
      <label for="filter-type">${texts.deliveries.event}</label>
      <select id="filter-type" name="type">
        ${option('', texts.deliveries.allEvents, type)}${eventType.options.map((one) => option(one, one, type))}
      </select>
    </div>
    ${periodField(question)}
    <button class="button quiet" id="filter-show" data-without-script>${texts.deliveries.show}</button>
  </form>`;
}

function log({ items, nextCursor }: Page<DeliveryAttempt>, view: DeliveriesView): Markup {
  const { question } = view;
  const { destination, status, type, from, to, cursor } = question;
  const isFiltered = [destination, status, type, from, to, cursor].some((value) => value !== '');
  const empty = !isFiltered
    ? html`<strong>${texts.deliveries.noneYet}</strong>${texts.deliveries.noneYetHint}`
    : nextCursor !== undefined
      ? html`<strong>${texts.deliveries.nothingSoFar}</strong>${texts.deliveries.nothingSoFarHint}`
      : html`<strong>${texts.deliveries.nothing}</strong>${texts.deliveries.nothingHint}`;
  const { deliveries } = texts;
  const columns = (['time', 'outcome', 'endpoint', 'events', 'attempt', 'reply'] as const).map(
    (name) => html`<span role="columnheader">${deliveries[name]}</span>`,
  );
  return html`<div role="table" aria-label="${deliveries.list}" class="log">
      <div role="rowgroup"><div role="row" class="head">${columns}</div></div>
      <div role="rowgroup" id="log-rows" data-part data-list>
        ${items.map((attempt) => row(attempt, items, view))}${
          items.length === 0 &&
          html`<div role="row" class="empty" id="no-deliveries" data-part><span role="cell">${empty}</span></div>`
        }
      </div>
    </div>
    <p class="more" id="log-more" data-part>
      ${
        isShort(question) &&
        html`<a href="${question.endpoint === '' ? pathOf('deliveries') : urlOf(question, { tab: 'deliveries' })}"
          >${deliveries.all}</a
        >`
      }${
        !isShort(question) &&
        question.cursor !== '' &&
        html`<a href="${urlOf(question, { cursor: '' })}">${deliveries.newest}</a> `
      }${
        !isShort(question) &&
        nextCursor !== undefined &&
        html`<a href="${urlOf(question, { cursor: nextCursor })}">${deliveries.older}</a>`
      }
    </p>`;
}

/** The first tab of an endpoint shows the newest attempts only. */
const isShort = ({ page, tab }: PageQuestion): boolean => page !== 'deliveries' && tab !== 'deliveries';

function row(attempt: DeliveryAttempt, listed: readonly DeliveryAttempt[], view: DeliveriesView): Markup {
  const { id, time, address, events, status, httpStatus, durationMs, split } = attempt;
  const { question } = view;
  // The first tab of an endpoint has no room for an open attempt.
  const target =
    question.endpoint === '' || question.tab === 'deliveries' ? question : { ...question, tab: 'deliveries' as const };
  const folded = isFolded(question) ? split : undefined;
  const why = folded === undefined ? explanation(attempt, listed, target, view) : foldedNote(attempt, view);
  return html`<div role="row" id="attempt-${id}" data-part${question.attempt === id && html` class="is-chosen"`}>
    <span role="cell">${timeOf(time)}</span>
    <span role="cell">${folded === undefined ? statusBadge(status) : badge('plain', texts.deliveries.split)}</span>
    <span role="cell" class="where"
      ><a class="whole" href="${urlOf(target, { attempt: id })}" data-open
        >${unseen([texts.deliveries.open({ time: timeWords(time) }), ' '])}${shortAddress(withoutScheme(address))}</a
      >
      <span class="muted">${kindOf(attempt, view)}</span></span
    >
    <span role="cell" class="number" data-name="${texts.deliveries.events}"
      >${folded === undefined ? count(events) : '–'}</span
    >
    <span role="cell" class="number" data-name="${texts.deliveries.attempt}"
      >${folded?.attempt ?? attempt.attempt}</span
    >
    <span role="cell" class="number" data-name="${texts.deliveries.reply}"
      >${httpStatus === undefined ? texts.deliveries.noReply : `HTTP ${httpStatus}`}
      <span class="muted">${tookOf(durationMs)}</span></span
    >
    ${why !== undefined && html`<span role="cell" class="why">${why}</span>`}
  </div>`;
}

const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, '');

function kindOf(attempt: DeliveryAttempt, view: DeliveriesView): Content {
  const { kind, destination } = attempt;
  if (kind === 'test') return texts.deliveries.test;
  const found = valueOf(view.destinations)?.find(({ id }) => id === destination);
  const subscription = found && subscriptionOf(found);
  const isOfSpecification = subscription !== undefined || found?.id === 'campaign';
  if (found !== undefined && (found.name !== null || !isOfSpecification)) return endpointName(found);
  if (kind === 'campaign') return texts.deliveries.batch;
  if (destination === undefined || isUnread(view.destinations)) return texts.deliveries.notification;
  return subscription === undefined
    ? texts.deliveries.notificationOfDeleted
    : texts.deliveries.notificationOf(subscription);
}

/** Judged by the present secrets, so that the advice changes with them. A test has only an address. */
function hasSecret(attempt: DeliveryAttempt, view: DeliveriesView): boolean {
  const { signing, destinations } = view;
  if (signing === undefined) return true;
  const tested = () => valueOf(destinations)?.find((one) => one.address === attempt.address)?.id ?? '';
  return isSigned(signing, attempt.destination ?? tested());
}

/** Why an attempt failed, what to do, and what followed or follows. */
function explanation(
  attempt: DeliveryAttempt,
  listed: readonly DeliveryAttempt[],
  question: PageQuestion,
  view: DeliveriesView,
): Markup | undefined {
  const { id, status, error, nextAttemptAt, webhookId } = attempt;
  if (error === undefined && nextAttemptAt === undefined) return undefined;
  const later = listed.find(
    (other) =>
      (other.webhookId === webhookId && other.attempt > attempt.attempt) ||
      (other.split !== undefined && other.split.attempt === attempt.attempt && id.startsWith(`${other.split.id}-`)),
  );
  return html`${error !== undefined && html`<span>${saidSentence(error)}</span> `}${
    error !== undefined &&
    status !== 'delivered' &&
    html`<span class="muted">${adviceOn(error, hasSecret(attempt, view))}</span> `
  }${
    later === undefined &&
    nextAttemptAt !== undefined &&
    html`<span>${texts.deliveries.next({ time: timeOf(nextAttemptAt) })}</span>`
  }${later?.status === 'delivered' && html`<span>${deliveredByText(later, question)}</span>`}`;
}

/** Stands for all requests that a batch was split in. The opened attempt lists them. */
const foldedNote = (attempt: DeliveryAttempt, view: DeliveriesView): Markup =>
  html`<span>${splitText(attempt, attempt.split?.requests)}.</span> ${
      attempt.error !== undefined &&
      html`<span class="muted"
        >${saidSentence(attempt.error)} ${adviceOn(attempt.error, hasSecret(attempt, view))}</span
      >`
    }`;
