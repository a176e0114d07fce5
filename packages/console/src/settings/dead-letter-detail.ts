import type { DeadLetterDetail } from '@mailhook/core';
import { plural, sentence } from '@mailhook/core';
import { masked, timeOf } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { destinationNames } from './deliveries-section.ts';
import { stepOf } from './event-steps.ts';
import { showLoaded } from './page-parts.ts';
import type { Loaded, LiveView } from './view.ts';
import { linkTo } from './view.ts';

/** Events shown on the page. The API and the CSV have all of them. */
const EVENTS_SHOWN = 20;

/**
 * One dead letter, opened: its attempts and its events. The customer's own page shows recipients here, because the
 * events are the customer's own.
 */
export const deadLetterDetail = (loaded: Loaded<DeadLetterDetail>, view: LiveView): Markup =>
  markup`<div class="card" id="dead-letter" data-part>${showLoaded(loaded, (letter) => detail(letter, view))}
<p><a href="${linkTo(view.question, { letter: '' }, 'dead-letters')}">Close</a></p></div>`;

function detail(
  { id, destination, time, error, webhookId, payloads, history }: DeadLetterDetail,
  view: LiveView,
): Markup {
  return markup`<h3>Dead letter <code>${id}</code></h3>
<p>${destinationNames(view).get(destination) ?? `Subscription ${destination} (deleted)`}. Given up ${timeOf(time)}. ${sentence(masked(error))}${
    webhookId !== undefined && markup` <code>webhook-id: ${webhookId}</code>`
  }</p>
<h4>Attempts</h4>
${history.length === 0 && markup`<p class="muted">None is kept in the log, or it was never sent.</p>`}
<ol class="story">${history.toReversed().map((attempt) => {
    const { text, tone } = stepOf(attempt);
    return markup`<li class="${tone}">${timeOf(attempt.time)} <span>${masked(text)}</span></li>`;
  })}</ol>
<h4>${plural(payloads.length, 'event', 'events')}</h4>
<pre tabindex="0">${payloads.slice(0, EVENTS_SHOWN).map((payload) => `${JSON.stringify(payload)}\n`)}</pre>
${payloads.length > EVENTS_SHOWN && markup`<p class="muted">These are the first ${EVENTS_SHOWN}. The CSV has all of them.</p>`}`;
}
