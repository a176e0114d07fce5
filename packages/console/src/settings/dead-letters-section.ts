import { formatCount, plural, sentence } from '@mailhook/core';
import type { DeadLetter, RedriveProgress } from '@mailhook/core';
import type { DeadLetterPage } from '../account-api.ts';
import { actionButton, hidden, masked, notice, PAGE_PATH, section, timeOf, unseen } from '../html/elements.ts';
import { members, outcomeArea } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import type { LiveView, PageQuery, View } from './view.ts';
import { linkTo, valueOf } from './view.ts';
import { deadLetterDetail } from './dead-letter-detail.ts';

/** The account's dead letters, with buttons to deliver them again. */
export function deadLettersSection(view: LiveView | View, outcome: Outcome | undefined): Markup {
  const page = valueOf(view.deadLetters);
  return section(
    {
      id: 'dead-letters',
      title: 'Dead letters',
      lead: 'Events that Mailhook gave up. They are kept for 7 days. Fix the cause, then deliver them again.',
      aside: markup`<div id="redrive-all" data-part>${
        page !== undefined &&
        page.items.length > 0 &&
        markup`<a class="button quiet" href="${PAGE_PATH}/dead-letters.csv" download>Download as CSV</a>
${redriveAll(page, view.question)}`
      }</div>`,
    },
    markup`${outcomeArea('dead-letters', outcome)}
<div id="redriven" data-part>${page?.redriven !== undefined && progress(page.redriven)}</div>
${'letter' in view && view.letter !== undefined && deadLetterDetail(view.letter, view)}
<ul class="rows card flush" id="dead-letter-list" data-part data-list>${members('dead-letters', view.deadLetters, (page) => list(page, view.question))}</ul>`,
  );
}

/** Asks before all dead letters are delivered again, because a receiver may get many requests. */
const redriveAll = (page: DeadLetterPage, question: PageQuery): Markup =>
  markup`<details id="redrive-all-question"><summary class="button quiet">Deliver all again</summary>
<form method="post" action="${PAGE_PATH}" class="inset"><p>${allOf(page, question)} Each counts as a new attempt.</p>
<div class="actions">${actionButton({ id: 'redrive-all-button', value: 'redrive', text: 'Deliver all again', busy: 'Sending…', look: 'primary' })}</div></form></details>`;

const ADDRESSES_SHOWN = 3;

/** What “Deliver all again” sends, and where. The addresses of dead letters on other pages are not known. */
function allOf({ items, nextCursor, total }: DeadLetterPage, question: PageQuery): string {
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

const list = ({ items, nextCursor }: DeadLetterPage, question: PageQuery): Markup =>
  markup`${items.map((one) => item(one, question))}${
    nextCursor !== undefined &&
    markup`<li class="muted" id="more-dead-letters" data-part><span>“Deliver all again” and the CSV take the older ones too.</span> <a href="${linkTo(question, { dead: nextCursor }, 'dead-letters')}">Older</a></li>`
  }${
    question.dead !== '' &&
    markup`<li class="muted" id="newest-dead-letters" data-part><a href="${linkTo(question, { dead: '' }, 'dead-letters')}">Newest</a></li>`
  }${
    items.length === 0 &&
    question.dead === '' &&
    markup`<li class="empty" id="no-dead-letters" data-part><strong>No dead letters now</strong>Events that Mailhook gives up stay here for 7 days.</li>`
  }`;

const item = ({ id, time, kind, address, events, attempts, error }: DeadLetter, question: PageQuery): Markup =>
  markup`<li id="dead-${id}" data-part><div><p><strong>${
    kind === 'campaign'
      ? plural(events, 'campaign event', 'campaign events')
      : plural(events, 'notification', 'notifications')
  }</strong> to <span class="address">${masked(address)}</span></p>
<p class="muted">${sentence(masked(error))} Given up ${timeOf(time)} after ${plural(attempts, 'attempt', 'attempts')}. <a href="${linkTo(question, { letter: id }, 'dead-letter')}">Events and attempts${unseen(` of the dead letter given up ${time}`)}</a></p></div>
<form method="post" action="${PAGE_PATH}">${hidden('id', id)}${actionButton({
    id: `redrive-${id}`,
    value: 'redrive',
    text: markup`Deliver again${unseen(` (given up ${time}, to ${masked(address)})`)}`,
    busy: 'Sending…',
  })}</form></li>`;
