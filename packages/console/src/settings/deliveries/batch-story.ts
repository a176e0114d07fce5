import type { DeliveryAttempt, DeliveryAttemptDetail } from '@mailhook/core';
import { timeOf } from '../../html/elements.ts';
import { tookOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';

/** The attempts at a batch as a line of time. The requests of a search are folded. */
export function batchStory({ id, batchAttempts = [] }: DeliveryAttemptDetail, question: PageQuestion): Markup {
  const steps = foldSearches(batchAttempts).map((one) => {
    const [first] = one;
    if (first?.split === undefined) return one.map((attempt) => step(attempt, id, question));
    const isOpen = one.some((attempt) => attempt.id === id);
    return html`<li class="plain">
      ${timeOf(first.time)}
      <details id="split-${first.id}" ${isOpen && html`open`}>
        <summary>${splitText(first, one.length)}</summary>
        <ol>
          ${one.map((attempt) => step(attempt, id, question))}
        </ol>
      </details>
    </li>`;
  });
  return html`<h3 class="unseen">${texts.attempt.story}</h3>
    <ol class="story">
      ${steps}
    </ol>`;
}

/** What the requests of a search are called together. */
export function splitText({ split, ...tried }: DeliveryAttempt, requests: number | undefined): Localized {
  const attempt = split?.attempt ?? tried.attempt;
  return requests === undefined
    ? texts.deliveries.splitInSmaller({ attempt })
    : texts.deliveries.splitIn({ attempt, requests });
}

/** Names the attempt that delivered, with a link to it. */
export const deliveredByText = ({ id, attempt, time }: DeliveryAttempt, question: PageQuestion): Localized =>
  texts.deliveries.deliveredBy({
    link: (words) => html`<a href="${urlOf(question, { attempt: id })}" data-open>${words}</a>`,
    attempt,
    time: timeOf(time),
  });

/** The attempt that delivered all events of a failed one. */
export function deliveredBy(
  { id, time, status, held, batchAttempts = [] }: DeliveryAttemptDetail,
  question: PageQuestion,
): Markup {
  const later = batchAttempts.find((one) => one.id !== id && one.time >= time && one.status === 'delivered');
  if (status === 'delivered' || held !== undefined || later === undefined) return html``;
  return html`<p>${deliveredByText(later, question)}.</p>`;
}

function step(attempt: DeliveryAttempt, open: string, question: PageQuestion): Markup {
  const { id, status, httpStatus, durationMs, time } = attempt;
  const name = texts.attempt.title({ attempt: attempt.attempt });
  const shown =
    id === open
      ? html`<strong aria-current="true">${name}</strong>`
      : html`<a href="${urlOf(question, { attempt: id })}" data-open>${name}</a>`;
  return html`<li class="${status === 'delivered' ? 'good' : 'bad'}">
    ${timeOf(time)}
    <span
      >${shown} ${texts.deliveries[status]}
      <span class="muted"
        >${httpStatus === undefined ? texts.attempt.noReply : `HTTP ${httpStatus}`}, ${tookOf(durationMs)}</span
      ></span
    >
  </li>`;
}

/** Neighbors of one search together, and every other attempt alone. */
function foldSearches(attempts: readonly DeliveryAttempt[]): DeliveryAttempt[][] {
  const groups: DeliveryAttempt[][] = [];
  for (const attempt of attempts) {
    const last = groups.at(-1);
    if (attempt.split !== undefined && last?.[0]?.split?.id === attempt.split.id) last.push(attempt);
    else groups.push([attempt]);
  }
  return groups;
}
