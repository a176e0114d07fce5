import { formatCount, plural, sentence } from '@mailhook/core';
import type { DeadLetter, RedriveProgress } from '@mailhook/core';
import type { DeadLetterPage } from '../account-api.ts';
import { actionButton, hidden, masked, notice, timeOf, unseen } from '../html/elements.ts';
import { members } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { pathOf, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { LiveView, View } from './view.ts';
import { valueOf } from './view.ts';
import { deadLetterDetail } from './dead-letter-detail.ts';

export const DEAD_LETTERS_LEAD =
  'Events that Mailhook gave up. They are kept for 7 days. Fix the cause, then deliver them again.';

/** The buttons for all dead letters. */
export function deadLetterActions(view: LiveView): Markup {
  const page = valueOf(view.deadLetters);
  return markup`<div id="redrive-all" class="actions" data-part>${
    page !== undefined &&
    page.items.length > 0 &&
    markup`<a class="button quiet" href="${pathOf('dead-letters')}.csv" download>Download as CSV</a>
${redriveAll(page, view.question)}`
  }</div>`;
}

/** What changes by itself: the progress of what is delivered again, and the list. */
export function deadLettersLive(view: LiveView): Markup {
  const redriven = valueOf(view.deadLetters)?.redriven;
  return markup`<div id="redriven" data-part>${redriven !== undefined && progress(redriven)}</div>${letterList(view)}`;
}

const letterList = (view: LiveView): Markup =>
  markup`<ul class="rows card flush" id="dead-letter-list" data-part data-list>${members('dead-letters', view.deadLetters, (page) => list(page, view.question))}</ul>`;

/** The account's dead letters, and beside them the one that is open. */
export const deadLettersList = (view: View): Markup =>
  markup`<div class="split${view.letter !== undefined && ' is-open'}" id="split"><div>${deadLettersLive(view)}</div>
<div id="panel" data-part>${view.letter !== undefined && deadLetterDetail(view.letter, view)}</div></div>`;

/** Asks before all dead letters are delivered again, because a receiver may get many requests. */
const redriveAll = (page: DeadLetterPage, question: PageQuestion): Markup =>
  markup`<details id="redrive-all-question"><summary class="button primary">Deliver all again</summary>
<form method="post" class="inset"><p>${allOf(page, question)} Each counts as a new attempt.</p>
<div class="actions">${actionButton({ id: 'redrive-all-button', value: 'redrive', text: 'Deliver all again', busy: 'Sending…', look: 'primary' })}</div></form></details>`;

const ADDRESSES_SHOWN = 3;

/** What “Deliver all again” sends, and where. The addresses of dead letters on other pages are not known. */
function allOf({ items, nextCursor, total }: DeadLetterPage, question: PageQuestion): string {
  const addresses = [...new Set(items.map(({ address }) => masked(address)))];
  const isWhole = nextCursor === undefined && question.dead === '';
  const events = items.reduce((sum, one) => sum + one.events, 0);
  const what = plural(total, 'dead letter', 'dead letters');
  const shown = addresses.slice(0, ADDRESSES_SHOWN);
  const more = addresses.length - shown.length;
  const others = isWhole
    ? more === 0
      ? []
      : [plural(more, 'further address', 'further addresses')]
    : ['other addresses'];
  const to = new Intl.ListFormat('en').format([...shown, ...others]);
  return `${isWhole ? `${plural(events, 'event', 'events')} in ${what}` : what} ${total === 1 ? 'is' : 'are'} sent again to ${to}.`;
}

/** What became of the events that were delivered again. */
function progress({ startedAt, waiting, delivered, failed, returned }: RedriveProgress): Markup {
  const isAny = waiting + delivered + failed > 0;
  return notice(
    waiting === 0 && failed > 0 ? 'warn' : 'plain',
    markup`<strong>Delivered again since ${timeOf(startedAt)}:</strong> ${isAny && `${plural(waiting, 'event', 'events')} on the way, ${formatCount(delivered)} delivered, ${formatCount(failed)} failed again.`}${
      returned > 0 &&
      ` ${plural(returned, 'event that was never sent waits', 'events that were never sent wait')} for a first attempt, or had it.`
    }`,
  );
}

const list = ({ items, nextCursor }: DeadLetterPage, question: PageQuestion): Markup =>
  markup`${items.map((one) => item(one, question))}${
    nextCursor !== undefined &&
    markup`<li class="muted" id="more-dead-letters" data-part><span>“Deliver all again” and the CSV take the older ones too.</span> <a href="${urlOf(question, { dead: nextCursor })}">Older</a></li>`
  }${
    question.dead !== '' &&
    markup`<li class="muted" id="newest-dead-letters" data-part><a href="${urlOf(question, { dead: '' })}">Newest</a></li>`
  }${
    items.length === 0 &&
    question.dead === '' &&
    markup`<li class="empty" id="no-dead-letters" data-part><strong>No dead letters now</strong>Events that Mailhook gives up stay here for 7 days.</li>`
  }`;

const item = ({ id, time, kind, address, events, attempts, error }: DeadLetter, question: PageQuestion): Markup =>
  markup`<li id="dead-${id}" data-part><div><p><strong>${
    kind === 'campaign'
      ? plural(events, 'campaign event', 'campaign events')
      : plural(events, 'notification', 'notifications')
  }</strong> to <span class="address">${masked(address)}</span></p>
<p class="muted">${sentence(masked(error))} Given up ${timeOf(time)} after ${plural(attempts, 'attempt', 'attempts')}. <a href="${urlOf(question, { letter: id })}" data-open>Events and attempts${unseen(` of the dead letter given up ${time}`)}</a></p></div>
<form method="post">${hidden('id', id)}${actionButton({
    id: `redrive-${id}`,
    value: 'redrive',
    text: markup`Deliver again${unseen(` (given up ${time}, to ${masked(address)})`)}`,
    busy: 'Sending…',
  })}</form></li>`;
