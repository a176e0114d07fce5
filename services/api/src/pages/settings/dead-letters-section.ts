import { sentence } from '@mailhook/core';
import type { DeadLetter } from '@mailhook/core';
import type { Page } from '@mailhook/delivery';
import { actionButton, hidden, masked, PAGE_PATH, plural, section, timeOf, unseen } from '../html/elements.ts';
import { members, outcomeArea } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import type { LiveView } from './view.ts';
import { valueOf } from './view.ts';

/** The account's dead letters, with buttons to deliver them again. */
export function deadLettersSection(view: LiveView, outcome: Outcome | undefined): Markup {
  const some = valueOf(view.deadLetters)?.items.length ?? 0;
  return section(
    {
      id: 'dead-letters',
      title: 'Dead letters',
      lead: 'Events that Mailhook gave up. They are kept for 7 days. Fix the cause, then deliver them again.',
      aside: markup`<div id="redrive-all" data-part>${
        some > 0 &&
        markup`<form method="post" action="${PAGE_PATH}">${actionButton({ id: 'redrive-all-button', value: 'redrive', text: 'Deliver all again', busy: 'Sending…' })}</form>`
      }</div>`,
    },
    markup`${outcomeArea('dead-letters', outcome)}
<ul class="rows card flush" id="dead-letter-list" data-part data-list>${members('dead-letters', view.deadLetters, list)}</ul>`,
  );
}

const list = ({ items, nextCursor }: Page<DeadLetter>): Markup =>
  markup`${items.map(item)}${
    nextCursor !== undefined &&
    markup`<li class="muted" id="more-dead-letters" data-part>These are the newest ${items.length}. “Deliver all again” takes the older ones too.</li>`
  }${
    items.length === 0 &&
    markup`<li class="empty" id="no-dead-letters" data-part><strong>No dead letters</strong>Nothing was given up in the last 7 days.</li>`
  }`;

const item = ({ id, time, kind, address, events, attempts, error }: DeadLetter): Markup =>
  markup`<li id="dead-${id}" data-part><div><p><strong>${
    kind === 'campaign'
      ? plural(events, 'campaign event', 'campaign events')
      : plural(events, 'notification', 'notifications')
  }</strong> to <span class="address">${masked(address)}</span></p>
<p class="muted">${sentence(masked(error))} Given up ${timeOf(time)} after ${plural(attempts, 'attempt', 'attempts')}.</p></div>
<form method="post" action="${PAGE_PATH}">${hidden('id', id)}${actionButton({
    id: `redrive-${id}`,
    value: 'redrive',
    text: markup`Deliver again${unseen(` (given up ${time}, to ${masked(address)})`)}`,
    busy: 'Sending…',
  })}</form></li>`;
