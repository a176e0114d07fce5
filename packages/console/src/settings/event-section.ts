import { formatCount, plural } from '@mailhook/core';
import type { EventTrace, EventTraces } from '@mailhook/core';
import { destinationNames } from './deliveries-section.ts';
import type { DestinationNames } from './deliveries-section.ts';
import { hidden, masked, timeOf } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { showLoaded } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';
import { eventStepsOf, stepOf } from './event-steps.ts';
import type { EventSteps, Step } from './event-steps.ts';
import { pathOf, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { View } from './view.ts';

/** The search has a body, so that no address gets into a URL. */
export const FIND_EVENT = 'find-event';

export const FIND_LEAD =
  'See what happened to an event: by its hash (campaigns), its messageId (transactional messages), the webhook-id of a request, or the e-mail address of a recipient (campaigns).';

/** The search for an event, and the event's history with one step per line. */
export function eventSearch(view: View): Markup {
  const { event, question } = view;
  return markup`<form method="post" action="${pathOf('events')}" class="find" id="find" data-plain>
<div class="field"><label for="find-event">Hash, messageId, webhook-id or e-mail address</label>
<input id="find-event" name="event" autocomplete="off" spellcheck="false" maxlength="1000" value="${question.event}"></div>
<button class="button primary" id="find-button" name="do" value="${FIND_EVENT}">Find</button></form>
<div id="found" aria-live="polite">${
    event !== undefined &&
    markup`<div class="card">${showLoaded(event, (traces) => found(traces, destinationNames(view), question))}</div>`
  }</div>`;
}

/** The same search in the header of every page. */
export const searchField = (): Markup =>
  markup`<form method="post" action="${pathOf('events')}" class="search" role="search" data-plain>${hidden('do', FIND_EVENT)}${icon('events')}
<input name="event" id="search" aria-label="${texts.shell.events}" aria-keyshortcuts="/" placeholder="${texts.shell.events}" autocomplete="off" spellcheck="false" maxlength="1000"><kbd aria-hidden="true">/</kbd></form>`;

function found(traces: EventTraces, names: DestinationNames, question: PageQuestion): Markup {
  const { items, attempts, searched, isComplete } = traces;
  if (items.length === 0 && attempts.length === 0) {
    return markup`<div class="empty"><strong>Event not found</strong><p>No event ${isComplete ? 'of this account' : 'that was searched'} has the hash, messageId, webhook-id or recipient “${question.event}”. Check that it is complete. ${!isComplete && `${MORE_HELD} `}Searched: ${searched}.</p></div>`;
  }
  return items.some(({ hash }) => hash !== undefined) || question.event.includes('@')
    ? ofRecipient(traces, question)
    : markup`${eventStepsOf(traces).map((one) => stepList(one, names))}${!isComplete && markup`<p class="muted">${MORE_HELD} Searched: ${searched}.</p>`}`;
}

const MORE_HELD = 'Mailhook holds more events of this account than it searched, and the event may be among the others.';

const STATES: Readonly<Record<EventTrace['state'], (trace: EventTrace) => readonly [Step['tone'], string]>> = {
  waiting: () => ['plain', 'waits for its first attempt'],
  in_flight: () => ['plain', 'is being sent'],
  resend: () => ['plain', 'waits for its next attempt'],
  dead: ({ deadLetter }) => ['bad', deadLetter === undefined ? 'was given up' : 'is a dead letter'],
  delivered: ({ attempts }) => ['good', `was delivered in attempt ${attempts}`],
  failed: () => ['bad', 'failed in its newest attempt'],
};

/**
 * A recipient may have many events, each with a link to its own history, and many requests that carried some of them.
 */
const ofRecipient = ({ items, attempts, searched, isComplete }: EventTraces, question: PageQuestion): Markup =>
  markup`<h2>${!isComplete && 'At least '}${plural(items.length, 'event', 'events')} of this recipient: ${formatCount(items.length - undelivered(items))} delivered, ${formatCount(undelivered(items))} not delivered</h2>
<ol class="story">${items.map((trace) => {
    const { hash, type = 'event', state, deliveredAt } = trace;
    const [tone, text] = STATES[state](trace);
    const link = hash !== undefined && markup`<a href="${urlOf(question, { event: hash })}"><code>${hash}</code></a>`;
    return markup`<li class="${tone}">${timeOrNow(deliveredAt)} <span>${type} ${link} ${text}</span></li>`;
  })}</ol>
<h2>${plural(attempts.length, 'attempt', 'attempts')} carried events of this recipient</h2>
<ol class="story">${attempts.toReversed().map((attempt) => {
    const { text, tone } = stepOf(attempt);
    return markup`<li class="${tone}">${timeOf(attempt.time)} <span>${masked(text)}</span></li>`;
  })}</ol><p class="muted">Searched: ${searched}.</p>`;

const undelivered = (items: readonly EventTrace[]): number => items.filter(({ state }) => state !== 'delivered').length;

const timeOrNow = (at: string | undefined): Markup =>
  at === undefined ? markup`<span class="muted">Now</span>` : timeOf(at);

const stepList = ({ destination, steps }: EventSteps, names: DestinationNames): Markup =>
  markup`<h2 class="address">${names.get(destination) ?? `Subscription ${destination} (deleted)`}</h2>
<ol class="story">${steps.map(
    ({ text, at, tone }) => markup`<li class="${tone}">${timeOrNow(at)} <span>${masked(text)}</span></li>`,
  )}</ol>`;
