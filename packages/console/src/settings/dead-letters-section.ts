import { DEAD_LETTERS_KEPT_MS, formatCount, plural, sentence } from '@mailhook/core';
import type { DeadLetter, DeadLetterGroup, DeadLetterGroups, RedriveProgress } from '@mailhook/core';
import type { DeadLetterPage } from '../account-api.ts';
import { actionButton, hidden, masked, timeOf, unseen } from '../html/elements.ts';
import { members, showLoaded } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { pathOf, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { LiveView, View } from './view.ts';
import { deadLetterFilterOf, valueOf } from './view.ts';
import { deadLetterDetail } from './dead-letter-detail.ts';
import { destinationNames } from './deliveries-section.ts';
import type { DestinationNames } from './deliveries-section.ts';

export const DEAD_LETTERS_LEAD =
  'Events that Mailhook gave up. They are kept for 7 days. Fix the cause, then deliver them again.';

/** The start of the name of a box that selects a group. */
export const GROUP_BOX = 'group-';

/** The buttons for all dead letters. */
export function deadLetterActions(view: LiveView): Markup {
  const page = valueOf(view.deadLetters);
  return markup`<div id="redrive-all" class="actions" data-part>${
    page !== undefined &&
    page.total > 0 &&
    markup`<a class="button quiet" href="${pathOf('dead-letters')}.csv" download>Download as CSV</a>
<form method="post">${actionButton({ id: 'redrive-all-ask', value: 'ask-redrive', text: 'Deliver all again', busy: 'Counting…', look: 'primary' })}</form>`
  }</div>`;
}

/** What changes by itself: the progress of what is delivered again, the groups, and the list. */
export function deadLettersLive(view: LiveView): Markup {
  const redriven = valueOf(view.deadLetters)?.redriven;
  return markup`<div id="redriven" data-part>${redriven !== undefined && progress(redriven)}</div>${groupsForm(view)}${letterList(view)}`;
}

const letterList = (view: LiveView): Markup =>
  markup`<h2 class="list-title">One by one</h2><ul class="rows card flush" id="dead-letter-list" data-part data-list>${members('dead-letters', view.deadLetters, (page) => list(page, view.question))}</ul>`;

/** The account's dead letters, by cause and one by one, and beside them the one that is open. */
export const deadLettersPage = (view: View): Markup =>
  markup`${filterForm(view)}<div class="split${view.letter !== undefined && ' is-open'}" id="split"><div>${deadLettersLive(view)}</div>
<div id="panel" data-part>${view.letter !== undefined && deadLetterDetail(view.letter, view)}</div></div>`;

function filterForm(view: View): Markup {
  const { destination, cause, from } = view.question;
  const causes = new Map((valueOf(view.groups)?.items ?? []).map((group) => [group.cause, sentence(group.error)]));
  if (cause !== '' && !causes.has(cause)) causes.set(cause, 'The chosen cause');
  const options = (all: string, values: DestinationNames, chosen: string): Markup =>
    markup`<option value="">${all}</option>${[...values].map(
      ([value, text]) =>
        markup`<option value="${value}"${value === chosen && markup` selected`}>${masked(text)}</option>`,
    )}`;
  return markup`<form method="get" class="filter" id="filter" data-filter>
<div class="field"><label for="filter-destination">Endpoint</label>
<select id="filter-destination" name="destination">${options('All endpoints', destinationNames(view), destination)}</select></div>
<div class="field"><label for="filter-cause">Cause</label>
<select id="filter-cause" name="cause">${options('All causes', causes, cause)}</select></div>
<div class="field"><label for="filter-from">Given up since (UTC)</label><input type="datetime-local" id="filter-from" name="from" value="${from}"></div>
<button class="button quiet" id="filter-show" data-without-script>Show</button>
</form>`;
}

/** The groups, and what can be done with the selected ones. */
function groupsForm(view: LiveView): Markup {
  const { from } = deadLetterFilterOf(view.question);
  return markup`<form method="post" id="groups-form"${valueOf(view.groups)?.items.length === 0 && markup` hidden`}>${from !== undefined && hidden('from', from)}
${showLoaded(view.groups, (groups) => groupTable(groups, view))}
<div class="actions">${actionButton({ id: 'redrive-groups', value: 'ask-redrive-selected', text: 'Deliver selected again', busy: 'Counting…' })}
${actionButton({ id: 'discard-groups', value: 'ask-discard', text: 'Discard selected', busy: 'Counting…' })}</div></form>`;
}

const groupTable = ({ items, isComplete }: DeadLetterGroups, view: LiveView): Markup =>
  markup`<div class="card flush"><table class="table groups"><caption class="unseen">Dead letters by cause and endpoint</caption>
<thead><tr><th scope="col"><span class="unseen">Select</span></th><th scope="col">Cause</th><th scope="col" class="wide">Endpoint</th><th scope="col" class="number">Events</th><th scope="col" class="wide">Oldest</th><th scope="col"><span class="unseen">View</span></th></tr></thead>
<tbody id="groups" data-part data-list>${items.map((group) => groupRow(group, view))}</tbody></table></div>
<p class="hint" id="groups-note" data-part>${!isComplete && 'Only the newest 5,000 dead letters are counted here. What you do with a group takes the older ones too.'}</p>`;

function groupRow({ id, cause, destination, error, events, oldest }: DeadLetterGroup, view: LiveView): Markup {
  const name = masked(destinationNames(view).get(destination) ?? 'A deleted subscription');
  const what = sentence(masked(error));
  return markup`<tr id="${GROUP_BOX}${id}" data-part><td><input type="checkbox" name="${GROUP_BOX}${id}" id="box-${id}" value="1" aria-label="Select: ${what} ${name}"></td>
<th scope="row"><label for="box-${id}">${what}</label></th><td class="wide">${name}</td>
<td class="number">${formatCount(events)}</td><td class="wide">${timeOf(oldest)}<br><span class="muted">${timeLeft(oldest, view.nowMs)}</span></td>
<td><a href="${urlOf(view.question, { destination, cause, dead: '', letter: '' })}">View${unseen(` the dead letters: ${what} ${name}`)}</a></td></tr>`;
}

const HOUR_MS = 3_600_000;

/** How long the oldest is kept. In hours, so that an update does not come every minute. */
function timeLeft(oldest: string, nowMs: number): string {
  const hours = Math.floor((Date.parse(oldest) + DEAD_LETTERS_KEPT_MS - nowMs) / HOUR_MS);
  if (hours < 1) return 'less than 1 hour left';
  return hours < 48 ? `${plural(hours, 'hour', 'hours')} left` : `${Math.floor(hours / 24)} days left`;
}

/** What became of the events that were delivered again. */
function progress({ state, left, startedAt, waiting, delivered, failed, returned }: RedriveProgress): Markup {
  const total = waiting + delivered + failed + left;
  const isBad = state === 'interrupted' || (waiting === 0 && failed > 0);
  return markup`<div class="redriven notice ${isBad ? 'warn' : 'plain'}"><p><strong>Delivered again since ${timeOf(startedAt)}:</strong> ${
    total > 0 &&
    `${formatCount(delivered)} of ${plural(total, 'event', 'events')} delivered, ${formatCount(failed)} failed again, ${formatCount(waiting)} on the way.`
  }${
    returned > 0 &&
    ` ${plural(returned, 'event that was never sent waits', 'events that were never sent wait')} for a first attempt, or had it.`
  } ${state === 'running' && `${plural(left, 'event has', 'events have')} not been started yet.`}${
    state === 'stopped' && `Stopped: ${plural(left, 'event stays a dead letter', 'events stay dead letters')}.`
  }${
    state === 'interrupted' &&
    `Mailhook was interrupted before it started ${plural(left, 'event', 'events')}. They are still dead letters: deliver them again.`
  }</p>
${total > 0 && markup`<progress max="${total}" value="${delivered}" aria-label="Delivered again"></progress>`}
${state === 'running' && markup`<form method="post">${actionButton({ id: 'stop-redrive', value: 'stop-redrive', text: 'Stop', busy: 'Stopping…' })}</form>`}</div>`;
}

const list = ({ items, nextCursor }: DeadLetterPage, question: PageQuestion): Markup =>
  markup`${items.map((one) => item(one, question))}${
    nextCursor !== undefined &&
    markup`<li class="muted" id="more-dead-letters" data-part><span>“Deliver all again” and the CSV take the older ones too.</span> <a href="${urlOf(question, { dead: nextCursor })}">Older</a></li>`
  }${
    question.dead !== '' &&
    markup`<li class="muted" id="newest-dead-letters" data-part><a href="${urlOf(question, { dead: '' })}">Newest</a></li>`
  }${items.length === 0 && question.dead === '' && noLetters(question)}`;

const noLetters = (question: PageQuestion): Markup =>
  Object.keys(deadLetterFilterOf(question)).length > 0
    ? markup`<li class="empty" id="no-dead-letters" data-part><strong>Nothing matches</strong>Choose other filters, or <a href="${pathOf('dead-letters')}">see all dead letters</a>.</li>`
    : markup`<li class="empty" id="no-dead-letters" data-part><strong>No dead letters now</strong>Events that Mailhook gives up stay here for 7 days.</li>`;

const item = ({ id, time, kind, address, events, attempts, error }: DeadLetter, question: PageQuestion): Markup =>
  markup`<li id="dead-${id}" data-part><div><p><strong>${
    kind === 'campaign'
      ? plural(events, 'campaign event', 'campaign events')
      : plural(events, 'notification', 'notifications')
  }</strong> to <span class="address">${masked(address)}</span></p>
<p class="muted">${sentence(masked(error))} Given up ${timeOf(time)} after ${plural(attempts, 'attempt', 'attempts')}. <a href="${urlOf(question, { letter: id })}" data-open>Events and attempts${unseen(` of the dead letter given up ${time}`)}</a></p></div>
<form method="post">${hidden('id', id)}${actionButton({
    id: `redrive-${id}`,
    value: 'ask-redrive',
    text: markup`Deliver again${unseen(` (given up ${time}, to ${masked(address)})`)}`,
    busy: 'Counting…',
  })}</form></li>`;
