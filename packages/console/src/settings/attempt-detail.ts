import { formatCount, plural, sentence } from '@mailhook/core';
import type { AttemptStatus, DeliveryAttemptDetail } from '@mailhook/core';
import { adviceOn } from './advice.ts';
import { badge, duration, masked, notice, timeOf, unseen } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { showLoaded } from './page-parts.ts';
import { bodyNote, replyText, requestText } from './request-reply.ts';
import { urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { Loaded } from './view.ts';

/** Events shown on the page. The API has all of them. */
const EVENTS_SHOWN = 20;
const KEYS_SHOWN = 100;
const KEPT_REPLIES = 'the start of the reply of attempts that failed, and of tests';

export const STATUS_NAMES = { delivered: 'Delivered', failed: 'Failed', dead: 'Given up' } as const;
const STATUS_TONES = { delivered: 'good', failed: 'warn', dead: 'bad' } as const;

export const statusBadge = (status: AttemptStatus): Markup => badge(STATUS_TONES[status], STATUS_NAMES[status]);

/**
 * One attempt, opened: its request, its reply and its events. The customer's own page shows them unmasked. Operators
 * have no such page.
 */
export const attemptDetail = (
  loaded: Loaded<DeliveryAttemptDetail>,
  names: ReadonlyMap<string, string>,
  question: PageQuestion,
  hasSecret: (attempt: DeliveryAttemptDetail) => boolean,
): Markup =>
  markup`<section class="panel card" id="attempt" aria-labelledby="attempt-title">
<a class="button quiet close" href="${urlOf(question, { attempt: '' })}" data-open>${icon('close')}${unseen('Close')}</a>
${showLoaded(loaded, (attempt) => detail(attempt, names, hasSecret(attempt)))}${'fault' in loaded && markup`<h2 class="unseen" id="attempt-title" tabindex="-1">Attempt</h2>`}</section>`;

function detail(attempt: DeliveryAttemptDetail, names: ReadonlyMap<string, string>, isSigned: boolean): Markup {
  const { kind, subscription, time, status, error, durationMs } = attempt;
  const destination = kind === 'campaign' ? 'campaign' : subscription;
  const name = destination === undefined ? 'Test' : (names.get(destination) ?? `Subscription ${destination} (deleted)`);
  return markup`<header><h2 id="attempt-title" tabindex="-1">Attempt ${attempt.attempt}</h2> ${statusBadge(status)}</header>
<p class="muted address">${name}</p>
<p class="muted">${timeOf(time)}, ${duration(durationMs)}</p>
${
  error !== undefined &&
  notice(
    status === 'delivered' ? 'plain' : 'bad',
    markup`<strong>${sentence(masked(error))}</strong>${status !== 'delivered' && markup` ${adviceOn(error, isSigned)}`}`,
  )
}
<h3>Request</h3>
${request(attempt)}
<h3>Reply</h3>
${reply(attempt)}
${events(attempt)}`;
}

const REPEATED =
  ' It was sent twice: your endpoint closed a kept connection before it answered, so Mailhook sent the same request' +
  ' again on a new connection.';

function request({ address, wasSent, request: sent, events }: DeliveryAttemptDetail): Markup {
  if (sent === undefined) {
    return markup`<pre tabindex="0">${requestText(address)}</pre><p class="muted">${
      wasSent === false
        ? 'Nothing was sent, because no connection was made.'
        : 'Mailhook kept nothing of this request, because of an internal error.'
    }</p>`;
  }
  const signed =
    sent.signatures === 0
      ? 'It was not signed, because neither the destination nor the account had a signing secret.'
      : `Signed with ${plural(sent.signatures, 'secret', 'secrets')}, in webhook-signature.`;
  const size = `${plural(events, 'event', 'events')} in ${formatCount(sent.bytes)} bytes`;
  return markup`<pre tabindex="0">${requestText(address, sent.headers)}</pre>
<p class="muted">${size}. ${signed}${sent.isRepeated === true && REPEATED}</p>`;
}

function reply({ httpStatus, reply: kept, request: sent, status, kind }: DeliveryAttemptDetail): Markup {
  if (kept === undefined) {
    const why =
      status === 'delivered' && kind !== 'test'
        ? ` All events were confirmed. Mailhook keeps ${KEPT_REPLIES}.`
        : ' This installation keeps no more of replies.';
    const more = httpStatus !== undefined && sent !== undefined && why;
    return markup`<p>${httpStatus === undefined ? 'None came.' : `HTTP ${httpStatus}.`}${more}</p>`;
  }
  return markup`<pre tabindex="0">${replyText(kept)}</pre>
<p class="muted">${bodyNote(kept)} Mailhook keeps ${KEPT_REPLIES}, as long as they are listed here.</p>`;
}

const events = (attempt: DeliveryAttemptDetail): Markup => markup`${heldEvents(attempt)}${keys(attempt)}`;

function heldEvents({ held, wasSent, status, kind }: DeliveryAttemptDetail): Markup {
  if (held === undefined) {
    if (status === 'delivered' || kind === 'test' || wasSent === undefined) return markup``;
    return markup`<p>Mailhook does not hold its events any more: they were delivered since, or given up and deleted.</p>`;
  }
  if (held.state === 'unknown') {
    return markup`<p>Mailhook did not find its events among those that it searched. There are too many resends or dead letters to search them all, so it may still hold them.</p>`;
  }
  const place = held.state === 'resend' ? 'waiting for the next attempt' : 'among the dead letters';
  return markup`<h3>${plural(held.payloads.length, 'event is', 'events are')} ${place}</h3>
<pre tabindex="0">${held.payloads.slice(0, EVENTS_SHOWN).map((payload) => `${JSON.stringify(payload)}\n`)}</pre>
${held.payloads.length > EVENTS_SHOWN && markup`<p class="muted">These are the first ${EVENTS_SHOWN}. The API has all of them.</p>`}`;
}

/** The hashes of its events, those that were not confirmed first, or its `messageId`. */
function keys({ eventKeys = [], events: sent, kind }: DeliveryAttemptDetail): Markup {
  if (eventKeys.length === 0) return markup``;
  const shown = eventKeys.slice(0, KEYS_SHOWN);
  const title = kind === 'campaign' ? plural(shown.length, 'hash', 'hashes') : 'messageId';
  return markup`<h3>${title}${shown.length < sent && ` of ${formatCount(sent)} events`}</h3><pre tabindex="0">${shown.join('\n')}</pre>`;
}
