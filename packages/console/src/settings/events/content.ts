import type { DeliveryAttempt, EventTrace, EventTraces } from '@mailhook/core';
import { keptText } from '../deliveries/content.ts';
import { destinationNames } from '../shared/endpoints.ts';
import type { DestinationNames } from '../shared/endpoints.ts';
import { hidden, timeOf } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { eventStepsOf, stepOf } from './event-steps.ts';
import type { EventSteps, Step } from './event-steps.ts';
import { pathOf, urlOf } from '../navigation.ts';
import type { Frame } from '../family.ts';
import type { Loaded } from '../loaded.ts';
import type { WithDeliveries } from '../parts.ts';

/** What the search for an event has found, and whether by a key of the event or by its recipient. */
export interface FoundEvent extends EventTraces {
  readonly by: 'key' | 'recipient';
}

type EventsView = Frame &
  Pick<WithDeliveries, 'kept'> & {
    readonly event: Loaded<FoundEvent> | undefined;
  };

/** The search has a body, so that no address gets into a URL. */
export const FIND_EVENT = 'find-event';

/** The search for an event, and the event's history with one step per line. */
export function eventSearch(view: EventsView): Markup {
  const { event, question } = view;
  return html`<form method="post" action="${pathOf('events')}" class="find" id="find" data-plain>
      <div class="field">
        <label for="find-event">${texts.events.field}</label>
        <input
          id="find-event"
          name="event"
          autocomplete="off"
          spellcheck="false"
          maxlength="1000"
          value="${question.event}"
        />
      </div>
      <button class="button primary" id="find-button" name="do" value="${FIND_EVENT}">${texts.events.find}</button>
    </form>
    <div id="found" aria-live="polite">
      ${event !== undefined && html`<div class="card">${showLoaded(event, (traces) => found(traces, view))}</div>`}
    </div>`;
}

/** The same search in the header of every page. */
export const searchField = (): Markup =>
  html`<form method="post" action="${pathOf('events')}" class="search" role="search" data-plain>
    ${hidden('do', FIND_EVENT)}${icon('events')}
    <input
      name="event"
      id="search"
      aria-label="${texts.shell.events}"
      aria-keyshortcuts="/"
      placeholder="${texts.shell.events}"
      autocomplete="off"
      spellcheck="false"
      maxlength="1000"
    /><kbd aria-hidden="true">/</kbd>
  </form>`;

function found(traces: FoundEvent, view: EventsView): Markup {
  const { by, items, attempts, isComplete } = traces;
  if (items.length === 0 && attempts.length === 0) return notFound(traces, view);
  return by === 'recipient'
    ? ofRecipient(traces, view)
    : html`${eventStepsOf(traces).map((one) => stepList(one, destinationNames(view)))}${
        !isComplete && html`<p class="muted">${texts.events.moreHeld} ${searched(view)}</p>`
      }`;
}

function notFound({ isComplete }: EventTraces, view: EventsView): Markup {
  const { event } = view.question;
  const none = isComplete ? texts.events.noneOfAccount({ event }) : texts.events.noneSearched({ event });
  return html`<div class="empty">
    <strong>${texts.events.notFound}</strong>
    <p>${none} ${!isComplete && [texts.events.moreHeld, ' ']}${searched(view)}</p>
  </div>`;
}

/** What a search covers. A customer who searches for an event must know what may be missing. */
function searched(view: EventsView): Content {
  const { waiting, resends, deadLetters } = view.kept;
  const most = { waiting: count(waiting), resends: count(resends), deadLetters: count(deadLetters) };
  return [texts.events.searched(most), ' ', keptText(view)];
}

type Named = (values: { readonly event: Content }) => Localized;

function stateOf({ state, deadLetter, attempts, discardedAt }: EventTrace): readonly [Step['tone'], Named] {
  const { events } = texts;
  switch (state) {
    case 'waiting':
      return ['plain', events.isWaiting];
    case 'in_flight':
      return ['plain', events.isInFlight];
    case 'resend':
      return ['plain', events.isResent];
    case 'dead':
      return ['bad', deadLetter === undefined ? events.wasGivenUp : events.isDeadLetter];
    case 'delivered':
      return ['good', ({ event }) => events.wasDelivered({ event, attempt: attempts })];
    case 'failed':
      return discardedAt === undefined ? ['warn', events.hasFailed] : ['bad', events.isDiscarded];
  }
}

/**
 * A recipient may have many events, each with a link to its own history, and many requests that carried some of them.
 */
function ofRecipient({ items: all, attempts, isComplete }: EventTraces, view: EventsView): Markup {
  const items = oncePerEndpoint(all);
  const names = destinationNames(view);
  const undelivered = items.filter(({ state }) => state !== 'delivered').length;
  const found = { events: items.length, delivered: count(items.length - undelivered), undelivered: count(undelivered) };
  const steps = items.map((trace) => {
    const { destination, hash, type, deliveredAt, discardedAt } = trace;
    const [tone, text] = stateOf(trace);
    const link =
      hash !== undefined &&
      html` <a href="${urlOf(view.question, { event: hash, isTyped: false })}"><code>${hash}</code></a>`;
    const event = html`${type ?? texts.events.anEvent}${link}`;
    return html`<li class="${tone}">
      ${timeOrNow(deliveredAt ?? discardedAt)}
      <span
        >${text({ event })}
        <span class="muted">${names.get(destination) ?? texts.deliveries.deleted({ id: destination })}</span></span
      >
    </li>`;
  });
  return html`<h2>${isComplete ? texts.events.ofRecipient(found) : texts.events.ofRecipientAtLeast(found)}</h2>
    <ol class="story">
      ${steps}
    </ol>
    <h2>${texts.events.attemptsOfRecipient({ attempts: attempts.length })}</h2>
    <ol class="story">
      ${attempts.toReversed().map(attemptStep)}
    </ol>
    <p class="muted">${searched(view)}</p>`;
}

/** An event may be found in several places. The first one is where Mailhook holds it. */
const oncePerEndpoint = (items: readonly EventTrace[]): readonly EventTrace[] =>
  items.filter(
    ({ destination, hash }, i) =>
      hash === undefined || items.findIndex((one) => one.destination === destination && one.hash === hash) === i,
  );

/** An attempt as a line of a list. */
export function attemptStep(attempt: DeliveryAttempt): Markup {
  const { text, tone } = stepOf(attempt);
  return html`<li class="${tone}">${timeOf(attempt.time)} <span>${text}</span></li>`;
}

const timeOrNow = (at: string | undefined): Markup =>
  at === undefined ? html`<span class="muted">${texts.events.now}</span>` : timeOf(at);

const stepList = ({ destination, steps }: EventSteps, names: DestinationNames): Markup =>
  html`<h2 class="address">${names.get(destination) ?? texts.deliveries.deleted({ id: destination })}</h2>
    <ol class="story">
      ${steps.map(({ text, at, tone }) => html`<li class="${tone}">${timeOrNow(at)} <span>${text}</span></li>`)}
    </ol>`;
