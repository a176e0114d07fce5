import { attemptStatusFilter, causeIn, eventType } from '@mailhook/core';
import type { DeliveryAttempt, DeliveryAttemptDetail, Page } from '@mailhook/core';
import { deliveredByText, splitText } from './batch-story.ts';
import { badge, masked, shortAddress, timeOf, timeWords, unseen } from '../../html/elements.ts';
import { count, spanOf, tookOf } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { filterToggle, showLoaded } from '../shared/page-parts.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { plainSentence, saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { periodField } from '../shared/period.ts';
import { pathOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import { attemptDetail } from './attempt-detail.ts';
import { statusBadge } from './status-badge.ts';
import type { Frame } from '../family.ts';
import { isSigned, valueOf } from '../loaded.ts';
import { destinationNames, shortNames } from '../shared/endpoints.ts';
import type { DestinationNames } from '../shared/endpoints.ts';
import { addressOf, chosenFilters, isFolded, isShort } from '../parts.ts';
import type { WithDeliveries, WithFound } from '../parts.ts';
import type { Loaded } from '../loaded.ts';

type DeliveriesView = Frame & WithDeliveries;

type OpenedView = DeliveriesView & WithFound & { readonly attempt: Loaded<DeliveryAttemptDetail> | undefined };

/** The list of attempts with its filters, and beside it the one that is open. */
export function deliveriesList(view: OpenedView): Markup {
  const names = destinationNames(view);
  const { attempt } = view;
  return html`${filterForm(view.question, names)}${chips(view, names)}
    <div class="split${attempt !== undefined && ' is-open'}" id="split">
      ${deliveryLog(view)}
      <div id="panel" data-part>
        ${attempt !== undefined && attemptDetail(attempt, shortNames(view), view, (one) => hasSecret(one, view))}
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
  const { delivered, attempts, days } = kept;
  return texts.deliveries.keeps({ delivered: count(delivered), attempts: count(attempts), days });
}

/** Whether the list is fresh. The script shows it. */
export const liveState = html`<span
  class="live"
  id="live-state"
  data-on="${texts.script.live}"
  data-cut="${texts.script.paused}"
  hidden
></span>`;

type Options = readonly (readonly [value: string, text: Content])[];

/** Classes of statuses, and the usual ones of each. An address may name every other one. */
const REPLIES = (
  '2xx 200 201 202 204 3xx 301 302 307 308 4xx 400 401 403 404 405 408 410 413 415 422 429 ' +
  '5xx 500 502 503 504 520 522 524'
).split(' ');

/** What can be chosen of the attempts, without the time. */
const CHOICES: readonly (readonly [name: 'status' | 'type' | 'reply' | 'try', label: Content, options: Options])[] = [
  [
    'status',
    texts.deliveries.outcome,
    [
      ['', texts.deliveries.allOutcomes],
      ...attemptStatusFilter.options.map((one) => [one, texts.deliveries[one]] as const),
    ],
  ],
  [
    'type',
    texts.deliveries.event,
    [['', texts.deliveries.allEvents], ...eventType.options.map((one) => [one, one] as const)],
  ],
  [
    'reply',
    texts.deliveries.reply,
    [['', texts.deliveries.allReplies], ...REPLIES.map((one) => [one, one] as const), ['none', texts.attempt.noReply]],
  ],
  [
    'try',
    texts.deliveries.attempt,
    [
      ['', texts.deliveries.allAttempts],
      ['first', texts.deliveries.firstAttempts],
      ['later', texts.deliveries.laterAttempts],
    ],
  ],
];

/** A choice, with a value of the address that it does not list, such as a single status. */
export function choice(name: string, label: Content, options: Options, chosen: string): Markup {
  const all = options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen] as const];
  const isChosen = (value: string): Content => value === chosen && html`selected`;
  return html`<div class="field">
    <label for="filter-${name}">${label}</label>
    <select id="filter-${name}" name="${name}">
      ${all.map(([value, text]) => html`<option value="${value}" ${isChosen(value)}>${text}</option>`)}
    </select>
  </div>`;
}

function filterForm(question: PageQuestion, names: DestinationNames): Markup {
  const { endpoint, destination } = question;
  const { deliveries } = texts;
  return html`<form method="get" class="filter" id="filter" data-filter>
    ${filterToggle(false)} ${periodField(question)}
    ${
      endpoint === ''
        ? choice('destination', deliveries.endpoint, [['', deliveries.allEndpoints], ...names], destination)
        : html`<input type="hidden" name="tab" value="deliveries" />`
    }
    ${CHOICES.map(([name, label, options]) => choice(name, label, options, question[name]))}
    <div class="field">
      <label for="filter-text">${deliveries.replyText}</label>
      <input id="filter-text" name="text" type="search" maxlength="200" value="${question.text}" autocomplete="off" />
    </div>
    <button class="button quiet" id="filter-show" data-without-script>${deliveries.show}</button>
  </form>`;
}

/** The chosen filters, each with a link that removes it, and how many attempts are listed. */
function chips(view: OpenedView, names: DestinationNames): Markup {
  const { question, found } = view;
  const { deliveries } = texts;
  const known: Readonly<Record<string, readonly [label: Content, text: Content]>> = {
    destination: [deliveries.endpoint, names.get(question.destination) ?? question.destination],
    text: [deliveries.replyText, question.text],
    from: [deliveries.since, timeOf(question.from)],
    to: [deliveries.until, timeOf(question.to)],
    ...Object.fromEntries(
      CHOICES.map(([name, label, options]) => {
        const value = question[name];
        return [name, [label, options.find(([one]) => one === value)?.[1] ?? value]];
      }),
    ),
  };
  const chosen = chosenFilters(question);
  return html`<div class="chips" id="chips" data-part>
    ${chosen.map((name) => {
      const url = urlOf(question, { [name]: '', cursor: '', attempt: '' });
      const [label, text] = known[name] ?? [name, ''];
      return html`<a class="chip" href="${url}"
        >${label}: ${text} ${icon('close')}${unseen(deliveries.removeFilter)}</a
      >`;
    })}${found !== undefined && html`<span class="muted">${deliveries.found(found)}</span>`}
  </div>`;
}

function log({ items, nextCursor }: Page<DeliveryAttempt>, view: DeliveriesView): Markup {
  const { question } = view;
  const isFiltered = !isShort(question) && (chosenFilters(question).length > 0 || question.cursor !== '');
  const noneYet =
    question.tab === 'testing'
      ? html`<strong>${texts.endpoints.noTests}</strong>`
      : isShort(question)
        ? html`<strong>${texts.charts.nothingSent}</strong>`
        : html`<strong>${texts.deliveries.noneYet}</strong>${texts.deliveries.noneYetHint}`;
  const empty = !isFiltered
    ? noneYet
    : nextCursor !== undefined
      ? html`<strong>${texts.deliveries.nothingSoFar}</strong>${texts.deliveries.nothingSoFarHint}`
      : html`<strong>${texts.deliveries.nothing}</strong>${texts.deliveries.nothingHint}`;
  const { deliveries } = texts;
  const what = question.endpoint === '' ? 'endpoint' : 'event';
  const columns = (['time', 'outcome', what, 'why', 'events', 'attempt', 'reply'] as const).map(
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

/** One line. What to do stands where the attempt is open. */
function row(attempt: DeliveryAttempt, listed: readonly DeliveryAttempt[], view: DeliveriesView): Markup {
  const { id, time, events, status, httpStatus, durationMs, split } = attempt;
  const { question } = view;
  // The first tab of an endpoint has no room for an open attempt.
  const target =
    question.endpoint === '' || question.tab === 'deliveries' ? question : { ...question, tab: 'deliveries' as const };
  const folded = isFolded(question) ? split : undefined;
  const reply = httpStatus ?? texts.attempt.noReply;
  const opened = texts.deliveries.open({ attempt: attempt.attempt, time: timeWords(time) });
  return html`<div role="row" id="attempt-${id}" data-part${question.attempt === id && html` class="is-chosen"`}>
    <span role="cell">${timeOf(time)}</span>
    <span role="cell">${folded === undefined ? statusBadge(status) : badge('plain', texts.deliveries.split)}</span>
    <span role="cell" class="where"
      ><a class="whole" href="${urlOf(target, { attempt: id })}" data-open
        >${unseen([opened, ' '])}${whatOf(attempt, view)}</a
      ></span
    >
    <span role="cell" class="why"
      >${folded === undefined ? explanation(attempt, listed, target) : foldedNote(attempt)}</span
    >
    <span role="cell" class="number" data-name="${texts.deliveries.events}"
      >${folded === undefined ? count(events) : '–'}</span
    >
    <span role="cell" class="number" data-name="${texts.deliveries.attempt}"
      >${folded?.attempt ?? attempt.attempt}</span
    >
    <span role="cell" class="number reply"
      ><span ${httpStatus === undefined && html`class="words"`}>${reply} · </span>${tookOf(durationMs)}</span
    >
  </div>`;
}

/** What a row is about: in the list of one endpoint its events, else the endpoint with them. */
function whatOf(attempt: DeliveryAttempt, view: DeliveriesView): Content {
  const { kind, address, destination = '', types = [] } = attempt;
  const whole = html`${kind === 'test' && html`${texts.deliveries.test} `}${shortAddress(address)}`;
  if (view.question.endpoint !== '') return kind === 'test' || types.length === 0 ? whole : types.join(', ');
  if (addressOf(view, destination) === undefined) return whole;
  const carried = types.slice(0, TYPES_SHOWN).join(', ') + (types.length > TYPES_SHOWN ? ', …' : '');
  return html`<span class="name" title="${masked(address)}">${shortNames(view).get(destination)}</span
    ><span class="address muted">${carried}</span>`;
}

/** Types of events that a row of all endpoints names. */
const TYPES_SHOWN = 3;

/** Judged by the present secrets, so that the advice changes with them. A test has only an address. */
function hasSecret(attempt: DeliveryAttempt, view: DeliveriesView): boolean {
  const { signing, destinations } = view;
  if (signing === undefined) return true;
  const tested = () => valueOf(destinations)?.find((one) => one.address === attempt.address)?.id ?? '';
  return isSigned(signing, attempt.destination ?? tested());
}

/** Why an attempt failed, or the attempt that has delivered its batch since. */
function explanation(
  { id, attempt, webhookId, error }: DeliveryAttempt,
  listed: readonly DeliveryAttempt[],
  question: PageQuestion,
): Content {
  if (error === undefined) return undefined;
  const later = listed.find(
    (other) =>
      other.status === 'delivered' &&
      ((other.webhookId === webhookId && other.attempt > attempt) ||
        (other.split?.attempt === attempt && id.startsWith(`${other.split.id}-`))),
  );
  if (later !== undefined) return deliveredByText(later, question);
  return html`<span title="${plainSentence(error)}">${saidSentence(causeIn(error))}</span>`;
}

/** Stands for all requests that a batch was split in. The opened attempt lists them. */
const foldedNote = (attempt: DeliveryAttempt): Markup => html`${splitText(attempt, attempt.split?.requests)}.`;
