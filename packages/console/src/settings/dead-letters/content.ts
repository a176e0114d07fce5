import type { FormFields } from '@mailhook/platform/http-server';
import { causeIn, DEAD_LETTERS_KEPT_MS } from '@mailhook/core';
import type {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterGroup,
  DeadLetterGroups,
  RedriveProgress,
  DeadLetterPage,
  FirstEvents,
} from '@mailhook/core';
import { actionButton, hidden, masked, shortAddress, timeOf, timeWords, unseen } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { filterToggle, members, showLoaded } from '../shared/page-parts.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { plainSentence, saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { localTime, readersZone } from '../shared/period.ts';
import { endpointUrl, pathOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import { deadLetterDetail, whyGivenUp } from './detail.ts';
import { stateBadge, troubleOf } from '../shared/destination-state.ts';
import { destinationNames, shortNames } from '../shared/endpoints.ts';
import type { DestinationNames } from '../shared/endpoints.ts';
import type { Frame } from '../family.ts';
import { subjectOf, textOf } from '../events/entry-detail.ts';
import { valueOf } from '../loaded.ts';
import { addressOf } from '../parts.ts';
import type { Loaded } from '../loaded.ts';

interface DeadLettersView extends Frame {
  readonly groups: Loaded<DeadLetterGroups>;
  /** Undefined if they could not be read. */
  readonly firstEvents: FirstEvents | undefined;
}

interface OpenedView extends DeadLettersView {
  readonly letter: Loaded<DeadLetterDetail> | undefined;
}

/** The start of the name of a box that selects a group. */
export const GROUP_BOX = 'group-';

/** The buttons for all dead letters. An opened one has its own. */
export function redriveAll(view: Frame): Markup {
  const page = valueOf(view.deadLetters);
  return html`<div id="redrive-all" class="actions" data-part>
    ${
      page !== undefined &&
      page.total > 0 &&
      html`<a class="button quiet" href="${pathOf('dead-letters')}.csv" download>${texts.deadLetters.csv}</a> ${
          view.question.letter === '' &&
          html`<form method="post">
            ${actionButton({
              id: 'redrive-all-ask',
              value: 'ask-redrive',
              text: texts.deadLetters.deliverAll,
              busy: texts.deadLetters.counting,
              look: 'primary',
            })}
          </form>`
        }`
    }
  </div>`;
}

/** What changes by itself: the progress of what is delivered again, the groups, and the list. */
export function deadLettersLive(view: DeadLettersView): Markup {
  const redriven = valueOf(view.deadLetters)?.redriven;
  return html`<div id="redriven" data-part>${redriven !== undefined && progress(redriven)}</div>
    ${groupsForm(view)}${letterList(view)}`;
}

/** One by one, inside an opened group. The page of all groups has them folded. */
function letterList(view: DeadLettersView): Markup {
  const { cause, dead, letter } = view.question;
  const isOpen = valueOf(view.deadLetters)?.total === 0 || [cause, dead, letter].some((one) => one !== '');
  return html`<details class="one-by-one" id="one-by-one" ${isOpen && html` open`}>
    <summary><h2>${texts.deadLetters.oneByOne}</h2></summary>
    <ul class="rows card flush" id="dead-letter-list" data-part data-list>
      ${members('dead-letters', view.deadLetters, (page) => list(page, view))}
    </ul>
  </details>`;
}

/** The account's dead letters, by cause and one by one, and beside them the one that is open. */
export const deadLettersContent = (view: OpenedView): Markup =>
  html`${filterForm(view)}
    <div class="split${view.letter !== undefined && ' is-open'}" id="split">
      <div>${deadLettersLive(view)}</div>
      <div id="panel" data-part>${view.letter !== undefined && deadLetterDetail(view.letter, view)}</div>
    </div>`;

function filterForm(view: DeadLettersView): Markup {
  const { destination, cause, from } = view.question;
  const causes = new Map<string, Content>(
    (valueOf(view.groups)?.items ?? []).map((group) => [group.cause, plainSentence(causeIn(group.error))]),
  );
  if (cause !== '' && !causes.has(cause)) causes.set(cause, texts.deadLetters.chosenCause);
  const options = (all: Content, values: DestinationNames, chosen: string): Markup =>
    html`<option value="">${all}</option>
      ${[...values].map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${maskedName(text)}</option>`,
      )}`;
  return html`<form method="get" class="filter" id="filter" data-filter>
    ${filterToggle([destination, cause, from].some((one) => one !== ''))}
    <div class="field">
      <label for="filter-destination">${texts.deliveries.endpoint}</label>
      <select id="filter-destination" name="destination">
        ${options(texts.deliveries.allEndpoints, destinationNames(view), destination)}
      </select>
    </div>
    <div class="field">
      <label for="filter-cause">${texts.deadLetters.cause}</label>
      <select id="filter-cause" name="cause">
        ${options(texts.deadLetters.allCauses, causes, cause)}
      </select>
    </div>
    <div class="field">
      <label for="filter-from">${texts.deadLetters.since({ zone: readersZone })}</label>${localTime('from', from)}
    </div>
    <button class="button quiet" id="filter-show" data-without-script>${texts.deliveries.show}</button>
  </form>`;
}

/** The groups, and what can be done with the selected ones. Without a selection, the style sheet hides the buttons. */
function groupsForm(view: DeadLettersView): Markup {
  const { from } = deadLetterFilterOf(view.question);
  return html`<form method="post" id="groups-form" ${valueOf(view.groups)?.items.length === 0 && html`hidden`}>
    ${from !== undefined && hidden('from', from)} ${showLoaded(view.groups, (groups) => groupTable(groups, view))}
    <div class="actions" id="groups-bar">
      ${actionButton({
        id: 'redrive-groups',
        value: 'ask-redrive-selected',
        text: texts.deadLetters.deliverSelected,
        busy: texts.deadLetters.counting,
        look: 'primary',
      })}
      ${actionButton({
        id: 'discard-groups',
        value: 'ask-discard',
        text: texts.deadLetters.discardSelected,
        busy: texts.deadLetters.counting,
        look: 'danger',
      })}
    </div>
  </form>`;
}

const groupTable = ({ items, isComplete }: DeadLetterGroups, view: Frame): Markup =>
  html`<p class="hint" id="groups-note" data-part>${isComplete ? countedIn(items) : texts.deadLetters.onlyNewest}</p>
    <div class="card flush">
      <table class="table groups">
        <caption class="unseen">
          ${texts.deadLetters.groups}
        </caption>
        <thead>
          <tr>
            <th scope="col">${unseen(texts.deadLetters.select)}</th>
            <th scope="col">${texts.deadLetters.cause}</th>
            <th scope="col" class="wide">${texts.deliveries.endpoint}</th>
            <th scope="col" class="number">${texts.deliveries.events}</th>
            <th scope="col" class="wide">${texts.deadLetters.oldest}</th>
          </tr>
        </thead>
        <tbody id="groups" data-part data-list>
          ${items.map((group) => groupRow(group, view))}
        </tbody>
      </table>
    </div>`;

/** The navigation counts dead letters, the rows count their events. */
const countedIn = (groups: DeadLetterGroups['items']): Localized =>
  texts.deadLetters.counted({
    letters: groups.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
    events: groups.reduce((sum, { events }) => sum + events, 0),
  });

function groupRow({ id, cause, destination, error, events, oldest }: DeadLetterGroup, view: Frame): Markup {
  const endpoint = maskedName(destinationNames(view).get(destination) ?? texts.deadLetters.ofDeleted);
  const status = valueOf(view.statuses)?.get(destination);
  const address = addressOf(view, destination);
  const why = causeIn(error);
  const what = saidSentence(why);
  const url = urlOf(view.question, { destination, cause, dead: '', letter: '' });
  return html`<tr id="${GROUP_BOX}${id}" data-part>
    <td>
      <label
        ><input
          type="checkbox"
          name="${GROUP_BOX}${id}"
          id="box-${id}"
          value="1"
          aria-label="${texts.deadLetters.selectGroup({ cause: plainSentence(why), endpoint })}"
      /></label>
    </td>
    <th scope="row">
      <a class="whole" href="${url}">${texts.deadLetters.groupOf({ hidden: unseen, cause: what, endpoint })}</a>
    </th>
    <td class="wide">
      <a href="${endpointUrl(destination)}">${shortNames(view).get(destination) ?? texts.deadLetters.ofDeleted}</a
      >${address !== undefined && shortAddress(address, 'muted')}${
        status !== undefined && troubleOf(status) !== undefined && stateBadge(status)
      }
    </td>
    <td class="number">${count(events)}</td>
    <td class="wide">${timeOf(oldest)}<br /><span class="muted">${timeLeft(oldest, view.nowMs)}</span></td>
  </tr>`;
}

/** Names of endpoints have addresses, which may have recipients' ones. */
const maskedName = (name: Content): Content => (typeof name === 'string' ? masked(name) : name);

const HOUR_MS = 3_600_000;

/** How long the oldest is kept. In hours, so that an update does not come every minute. */
function timeLeft(oldest: string, nowMs: number): Localized {
  const hours = Math.floor((Date.parse(oldest) + DEAD_LETTERS_KEPT_MS - nowMs) / HOUR_MS);
  if (hours < 1) return texts.deadLetters.lessThanAnHour;
  return hours < 48
    ? texts.deadLetters.hoursLeft({ hours })
    : texts.deadLetters.daysLeft({ days: Math.round(hours / 24) });
}

/** What became of the events that were delivered again. */
function progress({ state, left, startedAt, waiting, delivered, failed, returned }: RedriveProgress): Markup {
  const total = waiting + delivered + failed + left;
  const isBad = state === 'interrupted' || (waiting === 0 && failed > 0);
  const { deadLetters } = texts;
  const sentences = [
    total > 0 &&
      deadLetters.redriven({
        total,
        delivered: count(delivered),
        failed: count(failed),
        waiting: count(waiting),
      }),
    returned > 0 && deadLetters.neverSent({ events: returned }),
    state === 'running' && deadLetters.notStarted({ events: left }),
    state === 'stopped' && deadLetters.wasStopped({ events: left }),
    state === 'interrupted' && deadLetters.interrupted({ events: left }),
  ];
  return html`<div class="redriven notice ${isBad ? 'warn' : 'plain'}">
    <p>
      <strong>${deadLetters.redrivenSince({ time: timeOf(startedAt) })}</strong
      >${sentences.map((one) => one !== false && [' ', one])}
    </p>
    ${total > 0 && html`<progress max="${total}" value="${delivered}" aria-label="${deadLetters.share}"></progress>`}
    ${
      state === 'running' &&
      html`<form method="post">
        ${actionButton({
          id: 'stop-redrive',
          value: 'stop-redrive',
          text: texts.deadLetters.stop,
          busy: texts.deadLetters.stopping,
        })}
      </form>`
    }
  </div>`;
}

const list = ({ items, nextCursor }: DeadLetterPage, view: DeadLettersView): Markup => {
  const { question, firstEvents } = view;
  const names = shortNames(view);
  return html`${items.map((one) => item(one, { question, names }, firstEvents?.get(one.id)))}${
    nextCursor !== undefined &&
    html`<li class="muted" id="more-dead-letters" data-part>
      <span>${texts.deadLetters.andOlder}</span>
      <a href="${urlOf(question, { dead: nextCursor })}">${texts.deliveries.older}</a>
    </li>`
  }${
    question.dead !== '' &&
    html`<li class="muted" id="newest-dead-letters" data-part>
      <a href="${urlOf(question, { dead: '' })}">${texts.deliveries.newest}</a>
    </li>`
  }${items.length === 0 && question.dead === '' && noLetters(question)}`;
};

const noLetters = (question: PageQuestion): Markup =>
  Object.keys(deadLetterFilterOf(question)).length > 0
    ? html`<li class="empty" id="no-dead-letters" data-part>
        <strong>${texts.deliveries.nothing}</strong
        >${texts.deadLetters.othersOrAll({ all: (words) => html`<a href="${pathOf('dead-letters')}">${words}</a>` })}
      </li>`
    : html`<li class="empty" id="no-dead-letters" data-part>
        <strong>${texts.deadLetters.none}</strong>${texts.deadLetters.noneHint}
      </li>`;

/** Type, recipient or message, and time of the first event of a dead letter, and how many more it holds. */
function eventLine(event: FirstEvent, events: number): Markup {
  const { event: type, name = type, timestamp, time = timestamp } = event;
  const seconds = Number(time);
  return html`<p>
    <strong><code>${textOf(name)}</code></strong> <span class="address">${subjectOf(event)}</span>
    ${seconds > 0 && html`<span class="muted">${timeOf(new Date(seconds * 1000).toISOString())}</span>`}${
      events > 1 && html` <span class="muted">${texts.deadLetters.andMore({ more: count(events - 1) })}</span>`
    }
  </p>`;
}

type FirstEvent = Readonly<Record<string, unknown>>;

interface ItemView {
  readonly question: PageQuestion;
  readonly names: DestinationNames;
}

function item(letter: DeadLetter, { question, names }: ItemView, first: FirstEvent | undefined): Markup {
  const { id, time, kind, destination, address, events } = letter;
  const { deadLetters } = texts;
  const to = {
    events,
    strong: (words: Content) => html`<strong>${words}</strong>`,
    endpoint: names.get(destination) ?? shortAddress(address),
  };
  const open = deadLetters.open({ hidden: unseen, time: timeWords(time) });
  return html`<li id="dead-${id}" data-part${question.letter === id && html` class="is-chosen"`}>
    <div>
      ${first !== undefined && eventLine(first, events)}
      <p>${kind === 'campaign' ? deadLetters.campaignEvents(to) : deadLetters.notifications(to)}</p>
      <p class="muted">
        ${whyGivenUp(letter)}
        <a class="whole" href="${urlOf(question, { letter: id })}" data-open>${open}</a>
      </p>
    </div>
    <form method="post">
      ${hidden('id', id)}${actionButton({
        id: `redrive-${id}`,
        value: 'ask-redrive',
        text: deadLetters.deliverOne({ hidden: unseen, time: timeWords(time), address: masked(address) }),
        busy: deadLetters.counting,
      })}
    </form>
  </li>`;
}

/** Which dead letters a page shows, as the API's query. */
export function deadLetterFilterOf({ destination, cause, from }: PageQuestion): FormFields {
  const wanted = Object.entries({ destination, cause, from });
  return Object.fromEntries(wanted.filter(([, value]) => value !== ''));
}
