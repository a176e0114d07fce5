import type { EventTraces } from '@mailhook/core';
import { destinationNames } from './deliveries-section.ts';
import type { DestinationNames } from './deliveries-section.ts';
import { masked, PAGE_PATH, section, timeOf } from '../html/elements.ts';
import { showLoaded } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { eventStepsOf } from './event-steps.ts';
import type { EventSteps } from './event-steps.ts';
import type { View } from './view.ts';

/** The search for an event, and the event's history with one step per line. */
export function eventSection(view: View): Markup {
  const { event, question } = view;
  return section(
    {
      id: 'event',
      title: 'Find an event',
      lead: 'See what happened to one event: by its hash (campaigns) or by its messageId (transactional messages).',
    },
    markup`<div class="card">
<form method="get" action="${PAGE_PATH}#event" class="find" id="find">
<div class="field"><label for="find-event">Hash or messageId</label>
<input id="find-event" name="event" autocomplete="off" spellcheck="false" maxlength="1000" value="${question.event}"></div>
<button class="button quiet" id="find-button" data-busy="Looking…">Find</button></form>
<div id="found" data-part aria-live="polite">${
      event !== undefined && showLoaded(event, (traces) => found(traces, destinationNames(view), question.event))
    }</div></div>`,
  );
}

function found(traces: EventTraces, names: DestinationNames, wanted: string): Markup {
  const destinations = eventStepsOf(traces);
  if (destinations.length > 0) return markup`${destinations.map((one) => stepList(one, names))}`;
  return markup`<div class="empty"><strong>Event not found</strong><p>No event of this account has the hash or messageId “${masked(wanted)}”. Check that it is complete. Searched: ${traces.searched}.</p></div>`;
}

const stepList = ({ destination, steps }: EventSteps, names: DestinationNames): Markup =>
  markup`<h3 class="address">${names.get(destination) ?? `Subscription ${destination} (deleted)`}</h3>
<ol class="story">${steps.map(
    ({ text, at, tone }) =>
      markup`<li class="${tone}">${at === undefined ? markup`<span class="muted">Now</span>` : timeOf(at)} <span>${masked(text)}</span></li>`,
  )}</ol>`;
