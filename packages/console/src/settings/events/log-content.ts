import { eventType, logSearchInput } from '@mailhook/core';
import type { LogItem, LogOutcome, LogPage } from '@mailhook/core';
import { badge, notice, timeOf, timeWords, unseen } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import { pathOf, urlOf } from '../navigation.ts';
import { destinationNames, shortNames } from '../shared/endpoints.ts';
import { filterToggle, showLoaded } from '../shared/page-parts.ts';
import { periodField } from '../shared/period.ts';
import { entryDetail, subjectOf, textOf } from './entry-detail.ts';
import { FOUND_MAX } from './log-search.ts';
import type { WithLog } from './log-search.ts';

const { eventLog: words, deliveries } = texts;

type LogView = Frame & WithLog;

/** What became of an event, as a badge. */
const OUTCOMES: Readonly<Record<LogOutcome, readonly [Parameters<typeof badge>[0], Content]>> = {
  waiting: ['plain', words.waiting],
  delivered: ['good', words.delivered],
  dead: ['bad', words.dead],
  discarded: ['warn', words.discarded],
};

/** The list of accepted events with its filters, and beside it the one that is open. */
export function eventLogContent(view: LogView): Markup {
  const { logged, entry, question } = view;
  if (logged === undefined) return notice('plain', words.off);
  const all = html`<p><a href="${pathOf('events')}">${words.allEvents}</a></p>`;
  // The search above says that nothing was found.
  if (question.event !== '' && valueOf(logged)?.items.length === 0) return all;
  return html`${
      question.event === ''
        ? filterForm(view)
        : html`<h2>${words.matching}</h2>
            ${all}`
    }
    <div class="split${entry !== undefined && ' is-open'}" id="split">
      <div class="card flush" id="accepted" data-part>${showLoaded(logged, (page) => list(page, view))}</div>
      <div id="panel" data-part>${entry !== undefined && entryDetail(entry, view)}</div>
    </div>
    <p class="hint kept" id="accepted-note" data-part>${'value' in logged && listNote(logged.value, view)}</p>`;
}

function filterForm(view: Frame): Markup {
  const { destination, type, campaign, outcome } = view.question;
  const option = (value: string, text: Content, chosen: string): Markup =>
    html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`;
  const names = destinationNames(view);
  const isGone = destination !== '' && !names.has(destination);
  return html`<form method="get" class="filter" id="filter" data-filter>
    ${filterToggle([destination, type, campaign, outcome].some((one) => one !== ''))} ${periodField(view.question)}
    <div class="field">
      <label for="filter-destination">${deliveries.endpoint}</label>
      <select id="filter-destination" name="destination">
        ${option('', deliveries.allEndpoints, destination)}${[...names].map(([id, name]) =>
          option(id, name, destination),
        )}${isGone && option(destination, destination, destination)}
      </select>
    </div>
    <div class="field">
      <label for="filter-outcome">${deliveries.outcome}</label>
      <select id="filter-outcome" name="outcome">
        ${option('', deliveries.allOutcomes, outcome)}${OUTCOME_NAMES.map((one) =>
          option(one, one === 'none' ? words.nowhere : OUTCOMES[one][1], outcome),
        )}
      </select>
    </div>
    <div class="field">
      <label for="filter-type">${deliveries.event}</label>
      <select id="filter-type" name="type">
        ${option('', deliveries.allEvents, type)}${eventType.options.map((one) => option(one, one, type))}
      </select>
    </div>
    <div class="field">
      <label for="filter-campaign">${words.campaign}</label>
      <input id="filter-campaign" name="campaign" value="${campaign}" maxlength="1000" autocomplete="off" />
    </div>
    <button class="button quiet" id="filter-show" data-without-script>${deliveries.show}</button>
  </form>`;
}

const OUTCOME_NAMES = logSearchInput.shape.outcome.unwrap().options;

function list(page: LogPage, view: LogView): Markup {
  const { items, nextCursor } = page;
  const { question } = view;
  return html`<table class="table of-events">
      <caption class="unseen">
        ${words.list}
      </caption>
      <thead>
        <tr>
          <th scope="col">${deliveries.time}</th>
          <th scope="col">${deliveries.event}</th>
          <th scope="col">${words.endpoints}</th>
        </tr>
      </thead>
      <tbody>
        ${items.map((one) => ('gap' in one ? gapRow(one) : row(one, view)))}
      </tbody>
    </table>
    ${items.length === 0 && html`<p class="empty"><strong>${words.none}</strong>${emptyHint(page)}</p>`}
    <p class="more">
      ${question.cursor !== '' && html`<a href="${urlOf(question, { cursor: '' })}">${deliveries.newest}</a> `}${
        nextCursor !== undefined &&
        html`<a href="${urlOf(question, { cursor: nextCursor, entry: '' })}">${deliveries.older}</a>`
      }
    </p> `;
}

const emptyHint = ({ nextCursor }: LogPage): Content => (nextCursor === undefined ? words.noneHint : words.noneSoFar);

/** What the list may not have yet, or has left out. */
const listNote = (page: LogPage, view: LogView): Content => [
  words.completeUntil({ time: timeOf(page.completeUntil) }),
  ' ',
  foundNote(page, view),
];

/** What a search for a typed text may have left out. */
function foundNote({ items, searchedUntil }: LogPage, { question }: LogView): Content {
  if (question.event === '') return undefined;
  if (items.length >= FOUND_MAX) return words.newestOnly({ shown: count(items.length) });
  return searchedUntil === undefined ? undefined : words.searchedUntil({ time: timeOf(searchedUntil) });
}

function row({ entry, acceptedAt, event, destinations }: LogItem, view: LogView): Markup {
  const { question } = view;
  const campaign = textOf(event['campaign']);
  const subject = subjectOf(event);
  return html`<tr id="entry-${entry}" ${question.entry === entry && html` class="is-chosen"`}>
    <td>${timeOf(acceptedAt)}</td>
    <th scope="row">
      <div>
        <a class="whole" href="${urlOf(question, { entry })}" data-open
          >${unseen([words.open({ time: timeWords(acceptedAt) }), ' '])}<code>${textOf(event['event'])}</code></a
        >
        <span class="address muted" title="${subject}">${subject}</span>
        ${campaign !== '' && html`<span class="address muted campaign" title="${campaign}">${campaign}</span>`}
      </div>
    </th>
    <td>
      <div class="at">${outcomesOf(destinations, view)}</div>
    </td>
  </tr>`;
}

/** The outcome at the only endpoint, or how many endpoints have which. The opened event names them all. */
function outcomesOf(destinations: LogItem['destinations'], view: LogView): Content {
  const [first, ...others] = destinations;
  if (first === undefined) return badge('plain', words.nowhere);
  const { id, outcome } = first;
  if (others.length === 0)
    return html`${badge(...OUTCOMES[outcome])}
      <span class="muted">${shortNames(view).get(id) ?? deliveries.deleted({ id })}</span>`;
  return [...new Set(destinations.map((one) => one.outcome))].map((found) => {
    const [tone, text] = OUTCOMES[found];
    return badge(tone, [text, ' ', count(destinations.filter((one) => one.outcome === found).length)]);
  });
}

function gapRow({ gap }: Exclude<LogPage['items'][number], LogItem>): Markup {
  const { events, reason } = gap;
  const span = { from: timeOf(gap.from), to: timeOf(gap.to) };
  const ofStore = events === undefined ? words.gapOfStore(span) : words.gapOfStoreCounted({ ...span, events });
  return html`<tr>
    <td colspan="3">${notice('warn', reason === 'redis' ? words.gapOfRedis(span) : ofStore)}</td>
  </tr>`;
}
