import type { DeadLetterDetail } from '@mailhook/core';
import { plural, sentence } from '@mailhook/core';
import { masked, timeOf, unseen } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { destinationNames } from './deliveries-section.ts';
import { stepOf } from './event-steps.ts';
import { showLoaded } from './page-parts.ts';
import { urlOf } from './pages.ts';
import type { Loaded, LiveView } from './view.ts';

/** Events shown on the page. The API and the CSV have all of them. */
const EVENTS_SHOWN = 20;

/**
 * One dead letter, opened: its attempts and its events. The customer's own page shows recipients here, because the
 * events are the customer's own.
 */
export const deadLetterDetail = (loaded: Loaded<DeadLetterDetail>, view: LiveView): Markup =>
  markup`<section class="panel card" id="dead-letter" aria-label="Dead letter">
<a class="button quiet close" href="${urlOf(view.question, { letter: '' })}" data-open>${icon('close')}${unseen('Close')}</a>
${showLoaded(loaded, (letter) => detail(letter, view))}</section>`;

function detail(
  { id, destination, time, error, webhookId, payloads, history }: DeadLetterDetail,
  view: LiveView,
): Markup {
  return markup`<header><h2 tabindex="-1">Dead letter <code>${id}</code></h2></header>
<p>${destinationNames(view).get(destination) ?? `Subscription ${destination} (deleted)`}. Given up ${timeOf(time)}. ${sentence(masked(error))}${
    webhookId !== undefined && markup` <code>webhook-id: ${webhookId}</code>`
  }</p>
<h3>Attempts</h3>
${history.length === 0 && markup`<p class="muted">None is kept in the log, or it was never sent.</p>`}
<ol class="story">${history.toReversed().map((attempt) => {
    const { text, tone } = stepOf(attempt);
    return markup`<li class="${tone}">${timeOf(attempt.time)} <span>${masked(text)}</span></li>`;
  })}</ol>
<h3>${plural(payloads.length, 'event', 'events')}</h3>
<pre tabindex="0">${payloads.slice(0, EVENTS_SHOWN).map((payload) => `${JSON.stringify(payload)}\n`)}</pre>
${payloads.length > EVENTS_SHOWN && markup`<p class="muted">These are the first ${EVENTS_SHOWN}. The CSV has all of them.</p>`}`;
}
