import { plural, sentence } from '@mailhook/core';
import type { DeadLetter } from '@mailhook/core';
import type { Page } from '@mailhook/delivery';
import { actionButton, hidden, masked, PAGE_PATH, section, timeOf, unseen } from '../html/elements.ts';
import { members, outcomeArea } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import type { LiveView, PageQuery, View } from './view.ts';
import { linkTo, valueOf } from './view.ts';
import { deadLetterDetail } from './dead-letter-detail.ts';

/** The account's dead letters, with buttons to deliver them again. */
export function deadLettersSection(view: LiveView | View, outcome: Outcome | undefined): Markup {
  const some = valueOf(view.deadLetters)?.items.length ?? 0;
  return section(
    {
      id: 'dead-letters',
      title: 'Dead letters',
      lead: 'Events that Mailhook gave up. They are kept for 7 days. Fix the cause, then deliver them again.',
      aside: markup`<div id="redrive-all" data-part>${
        some > 0 &&
        markup`<a class="button quiet" href="${PAGE_PATH}/dead-letters.csv" download>Download as CSV</a>
<form method="post" action="${PAGE_PATH}">${actionButton({ id: 'redrive-all-button', value: 'redrive', text: 'Deliver all again', busy: 'Sending…' })}</form>`
      }</div>`,
    },
    markup`${outcomeArea('dead-letters', outcome)}
${'letter' in view && view.letter !== undefined && deadLetterDetail(view.letter, view)}
<ul class="rows card flush" id="dead-letter-list" data-part data-list>${members('dead-letters', view.deadLetters, (page) => list(page, view.question))}</ul>`,
  );
}

const list = ({ items, nextCursor }: Page<DeadLetter>, question: PageQuery): Markup =>
  markup`${items.map((one) => item(one, question))}${
    nextCursor !== undefined &&
    markup`<li class="muted" id="more-dead-letters" data-part><span>“Deliver all again” and the CSV take the older ones too.</span> <a href="${linkTo(question, { dead: nextCursor }, 'dead-letters')}">Older</a></li>`
  }${
    question.dead !== '' &&
    markup`<li class="muted" id="newest-dead-letters" data-part><a href="${linkTo(question, { dead: '' }, 'dead-letters')}">Newest</a></li>`
  }${
    items.length === 0 &&
    question.dead === '' &&
    markup`<li class="empty" id="no-dead-letters" data-part><strong>No dead letters</strong>Nothing was given up in the last 7 days.</li>`
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
