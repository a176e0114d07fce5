import { isUrl } from '@mailhook/core';
import type { DeliveryAttemptDetail } from '@mailhook/core';
import { adviceOn } from '../../messages/advice.ts';
import { batchStory, deliveredBy } from './batch-story.ts';
import { tabs } from '../../html/code-tabs.ts';
import { actionButton, hidden, notice, shortAddress, timeOf, unseen } from '../../html/elements.ts';
import { count, tookOf } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { jsonLines } from '../shared/json-view.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { bodyNote, keptReply } from '../shared/request-reply.ts';
import { sentRequest } from './sent-request.ts';
import { statusBadge } from './status-badge.ts';
import { endpointUrl, urlOf } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';

/** Events shown on the page. The API has all of them. */
const EVENTS_SHOWN = 20;
const KEYS_SHOWN = 100;

/** What an opened attempt needs of its page. */
type AttemptView = Pick<Frame, 'question' | 'destinations' | 'statuses' | 'isLogOn' | 'nowMs'>;

/**
 * One attempt, opened: why it failed, the other attempts at its batch, its request and its reply. The customer's own
 * page shows them unmasked. Operators have no such page.
 */
export const attemptDetail = (
  loaded: Loaded<DeliveryAttemptDetail>,
  names: ReadonlyMap<string, Content>,
  view: AttemptView,
  hasSecret: (attempt: DeliveryAttemptDetail) => boolean,
): Markup =>
  html`<section class="panel card" id="attempt" aria-labelledby="attempt-title">
    <a class="button quiet close" href="${urlOf(view.question, { attempt: '' })}" data-open
      >${icon('close')}${unseen(texts.attempt.close)}</a
    >
    ${showLoaded(loaded, (attempt) => detail(attempt, names, view, hasSecret(attempt)))}${
      'fault' in loaded && html`<h2 class="unseen" id="attempt-title" tabindex="-1">${texts.attempt.titleOfNone}</h2>`
    }
  </section>`;

function detail(
  attempt: DeliveryAttemptDetail,
  names: ReadonlyMap<string, Content>,
  view: AttemptView,
  isSigned: boolean,
): Markup {
  const { question } = view;
  const { destination, address, time, status, httpStatus, error, durationMs } = attempt;
  const { request, reply: replied, all } = texts.attempt;
  const sections = [
    { name: request, content: sentRequest(attempt) },
    { name: replied, content: replySection(attempt) },
  ];
  const { batchAttempts = [] } = attempt;
  const story = { name: all({ attempts: count(batchAttempts.length) }), content: batchStory(attempt, question) };
  const name: Content =
    destination === undefined
      ? texts.deliveries.test
      : (names.get(destination) ?? texts.deliveries.deleted({ id: destination }));
  const endpoint = destination !== undefined && names.has(destination) ? destination : undefined;
  const title = texts.attempt.title({ attempt: attempt.attempt });
  const next = nextTimeOf(attempt, view.nowMs);
  return html`<header>
      <h2 id="attempt-title" tabindex="-1">${title}</h2>
      ${statusBadge(status)} ${nextButton(attempt, view)}
    </header>
    <p class="of-endpoint">
      <strong>${endpoint === undefined ? name : html`<a href="${endpointUrl(endpoint)}">${name}</a>`}</strong>
      ${shortAddress(address, 'muted')}
    </p>
    <p class="muted">
      ${timeOf(time)} · ${httpStatus === undefined ? texts.attempt.noReply : `HTTP ${httpStatus}`} ·
      ${tookOf(durationMs)}
    </p>
    ${
      error !== undefined &&
      notice(
        ({ delivered: 'plain', failed: 'warn', dead: 'bad' } as const)[status],
        html`<strong>${saidSentence(error)}</strong>${status !== 'delivered' && html` ${adviceOn(error, isSigned)}`}${
            next !== undefined && html` ${texts.deliveries.next({ time: timeOf(next) })}`
          }`,
      )
    }
    ${redirect(attempt, endpoint)} ${deliveredBy(attempt, question)} ${held(attempt)} ${unconfirmed(attempt)}
    ${
      // A failed attempt shows its reply first, which says what is wrong.
      tabs('attempt-part', title, [
        ...(status === 'delivered' ? sections : sections.toReversed()),
        ...(batchAttempts.length > 1 ? [story] : []),
      ])
    }`;
}

/** The time of the next attempt at its batch, if that is still to come. */
function nextTimeOf(
  { id, held: found, nextAttemptAt: next, batchAttempts = [] }: DeliveryAttemptDetail,
  nowMs: number,
) {
  const isLast = (batchAttempts.at(-1)?.id ?? id) === id;
  return found !== undefined && isLast && next !== undefined && Date.parse(next) > nowMs ? next : undefined;
}

const replySection = (attempt: DeliveryAttemptDetail): Markup =>
  html`<h3 class="unseen">${texts.attempt.reply}</h3>
    ${reply(attempt)}`;

export const SEND_ATTEMPT_AGAIN = 'send-attempt-again';

/** Sends its events again, from its dead letter or from the log, or early, with all that its endpoint resends. */
function nextButton(attempt: DeliveryAttemptDetail, view: AttemptView): Markup | false {
  const found = fieldAndButton(attempt, view);
  if (found === undefined) return false;
  const [field, value, text, busy, look] = found;
  return html`<form method="post" class="end">${field}${actionButton({ id: 'again', value, text, busy, look })}</form>`;
}

function fieldAndButton(attempt: DeliveryAttemptDetail, view: AttemptView) {
  const { id, destination, held: found, status } = attempt;
  if (destination === undefined) return undefined;
  const { deadLetters, eventLog, states } = texts;
  if (found?.deadLetter !== undefined) {
    const field = hidden('id', found.deadLetter);
    return [field, 'ask-redrive', deadLetters.deliverAgain, deadLetters.counting, 'primary'] as const;
  }
  const isActive = valueOf(view.destinations)?.some((one) => one.id === destination && one.active) === true;
  if (!isActive) return undefined;
  const isPaused = valueOf(view.statuses)?.get(destination)?.state === 'paused';
  if (!isPaused && nextTimeOf(attempt, view.nowMs) !== undefined)
    return [hidden('destination', destination), 'send-now', states.sendNow, states.starting, 'quiet'] as const;
  if (status !== 'delivered' || !view.isLogOn) return undefined;
  return [hidden('attempt', id), SEND_ATTEMPT_AGAIN, eventLog.sendAgain, eventLog.sending, 'quiet'] as const;
}

/** Where a redirect leads. */
export function redirectTargetOf({ address, reply }: DeliveryAttemptDetail): string | undefined {
  const { location } = reply?.headers ?? {};
  if (location === undefined || reply === undefined || reply.status < 300 || reply.status > 399) return undefined;
  return isUrl(location, address) ? new URL(location, address).href : location;
}

/** The same, with the place to enter it. */
function redirect(attempt: DeliveryAttemptDetail, destination: string | undefined): Markup {
  const target = redirectTargetOf(attempt);
  if (target === undefined) return html``;
  return html`<p>
    ${texts.attempt.redirects({ target: html`<code>${target}</code>` })}${
      destination !== undefined &&
      html` <a href="${endpointUrl(destination, 'settings')}">${texts.attempt.changeAddress}</a>`
    }
  </p>`;
}

function reply({ httpStatus, reply: kept, request: sent, status, kind }: DeliveryAttemptDetail): Markup {
  if (kept === undefined) {
    const why = status === 'delivered' && kind !== 'test' ? texts.attempt.allConfirmed : texts.attempt.keepsNoMore;
    if (httpStatus === undefined) return html`<p>${texts.attempt.noneCame}</p>`;
    return html`<p>HTTP ${httpStatus}. ${sent !== undefined && why}</p>`;
  }
  return html`${keptReply(kept)}
    <p class="muted">${bodyNote(kept)} ${texts.attempt.keepsReplies}</p>`;
}

/** What Mailhook still holds of its events. They are shown if the request does not show them. */
function held({ held: found, wasSent, status, kind, request }: DeliveryAttemptDetail): Markup {
  if (found === undefined) {
    if (status === 'delivered' || kind === 'test' || wasSent === undefined) return html``;
    return html`<p>${texts.attempt.notHeld}</p>`;
  }
  if (found.state === 'unknown') {
    return html`<p>${texts.attempt.heldUnknown}</p>`;
  }
  const { length } = found.payloads;
  const place =
    found.state === 'resend'
      ? texts.attempt.waiting({ events: length })
      : texts.attempt.deadLetters({ events: length });
  if (request?.body !== undefined) return html`<p>${place}.</p>`;
  return html`<h3>${place}</h3>
    <pre tabindex="0" class="json">${jsonLines(JSON.stringify(found.payloads.slice(0, EVENTS_SHOWN)))?.lines}</pre>
    ${length > EVENTS_SHOWN && html`<p class="muted">${texts.attempt.firstOnes({ shown: count(EVENTS_SHOWN) })}</p>`}`;
}

/** The hashes of the events that were not confirmed, if others of the batch were. */
function unconfirmed({ unconfirmed: some = 0, events, eventKeys = [] }: DeliveryAttemptDetail): Markup {
  if (some === 0) return html``;
  return html`<h3>${texts.attempt.unconfirmed({ unconfirmed: some, events: count(events) })}</h3>
    <pre tabindex="0">${eventKeys.slice(0, Math.min(some, KEYS_SHOWN)).join('\n')}</pre>`;
}
