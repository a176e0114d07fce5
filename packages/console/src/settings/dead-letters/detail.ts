import type { DeadLetter, DeadLetterDetail, TextCode } from '@mailhook/core';
import { actionButton, hidden, shortAddress, timeOf, unseen } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { endpointName } from '../shared/endpoints.ts';
import { attemptStep } from '../events/content.ts';
import { jsonLines } from '../shared/json-view.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { endpointUrl, urlOf } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';

/** Events shown on the page. The API and the CSV have all of them. */
const EVENTS_SHOWN = 20;

/**
 * One dead letter, opened: its attempts and its events. The customer's own page shows recipients here, because the
 * events are the customer's own.
 */
export const deadLetterDetail = (loaded: Loaded<DeadLetterDetail>, view: Frame): Markup =>
  html`<section class="panel card" id="dead-letter" aria-label="${texts.deadLetters.one}">
    <a class="button quiet close" href="${urlOf(view.question, { letter: '' })}" data-open
      >${icon('close')}${unseen(texts.attempt.close)}</a
    >
    ${showLoaded(loaded, (letter) => detail(letter, view))}
  </section>`;

/** Reasons that are no failure of a request. With another one, an untried batch was given up with its endpoint. */
const NO_FAILURE: readonly TextCode[] = ['too-old', 'given-up', 'subscription-off', 'campaign-off', 'campaign-cleared'];

/** Why and when a dead letter was given up. */
export function whyGivenUp({ time, attempts, error }: DeadLetter): Content {
  const { givenUpAfter, untried, untriedOff } = texts.deadLetters;
  const without = NO_FAILURE.includes(error.code) ? untried : untriedOff;
  const at = timeOf(time);
  return [saidSentence(error), ' ', attempts === 0 ? without({ time: at }) : givenUpAfter({ time: at, attempts })];
}

function detail(letter: DeadLetterDetail, view: Frame): Markup {
  const { id, destination, address, webhookId, payloads, history } = letter;
  const settings = valueOf(view.destinations)?.find((one) => one.id === destination);
  const name = settings === undefined ? texts.deliveries.deleted({ id: destination }) : endpointName(settings);
  const again = actionButton({
    id: 'again',
    value: 'ask-redrive',
    text: texts.deadLetters.deliverAgain,
    busy: texts.deadLetters.counting,
    look: 'primary',
  });
  return html`<header>
      <h2 tabindex="-1">${texts.deadLetters.one}</h2>
      <form method="post" class="end">${hidden('id', id)}${again}</form>
    </header>
    <p class="of-endpoint">
      <strong>${settings !== undefined ? html`<a href="${endpointUrl(destination)}">${name}</a>` : name}</strong>
      ${shortAddress(address, 'muted')}
    </p>
    <p>${whyGivenUp(letter)}</p>
    <p class="muted ids">
      <code>id: ${id}</code> ${webhookId !== undefined && html`<code>webhook-id: ${webhookId}</code>`}
    </p>
    <h3>${texts.deadLetters.attempts}</h3>
    ${history.length === 0 && html`<p class="muted">${texts.deadLetters.noAttempts}</p>`}
    <ol class="story">
      ${history.toReversed().map(attemptStep)}
    </ol>
    <h3>${texts.deadLetters.events({ events: payloads.length })}</h3>
    <pre tabindex="0" class="json">${jsonLines(JSON.stringify(payloads.slice(0, EVENTS_SHOWN)))?.lines}</pre>
    ${
      payloads.length > EVENTS_SHOWN &&
      html`<p class="muted">${texts.deadLetters.firstOnes({ shown: count(EVENTS_SHOWN) })}</p>`
    }`;
}
