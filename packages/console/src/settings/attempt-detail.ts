import { plural, sentence } from '@mailhook/core';
import type { DeliveryAttemptDetail } from '@mailhook/core';
import { adviceOn } from './advice.ts';
import { batchStory, deliveredBy } from './batch-story.ts';
import { duration, masked, notice, timeOf, unseen } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { jsonLines } from './json-view.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { showLoaded } from './page-parts.ts';
import { bodyNote, keptReply } from './request-reply.ts';
import { sentRequest } from './sent-request.ts';
import { statusBadge } from './status-badge.ts';
import { endpointUrl, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import type { Loaded } from './view.ts';

/** Events shown on the page. The API has all of them. */
const EVENTS_SHOWN = 20;
const KEYS_SHOWN = 100;
const KEPT_REPLIES = 'the start of the reply of attempts that failed, and of tests';

/**
 * One attempt, opened: why it failed, the other attempts at its batch, its request and its reply. The customer's own
 * page shows them unmasked. Operators have no such page.
 */
export const attemptDetail = (
  loaded: Loaded<DeliveryAttemptDetail>,
  names: ReadonlyMap<string, string>,
  question: PageQuestion,
  hasSecret: (attempt: DeliveryAttemptDetail) => boolean,
): Markup =>
  markup`<section class="panel card" id="attempt" aria-labelledby="attempt-title">
<a class="button quiet close" href="${urlOf(question, { attempt: '' })}" data-open>${icon('close')}${unseen('Close')}</a>
${showLoaded(loaded, (attempt) => detail(attempt, names, question, hasSecret(attempt)))}${'fault' in loaded && markup`<h2 class="unseen" id="attempt-title" tabindex="-1">Attempt</h2>`}</section>`;

function detail(
  attempt: DeliveryAttemptDetail,
  names: ReadonlyMap<string, string>,
  question: PageQuestion,
  isSigned: boolean,
): Markup {
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
${redirect(attempt, destination !== undefined && names.has(destination) ? destination : undefined)}
${deliveredBy(attempt, question)}
${held(attempt)}
${batchStory(attempt, question)}
${unconfirmed(attempt)}
${sentRequest(attempt)}
<h3>Reply</h3>
${reply(attempt)}`;
}

/** Where a redirect leads, with the place to enter it. */
function redirect({ address, reply: kept }: DeliveryAttemptDetail, destination: string | undefined): Markup {
  const { location } = kept?.headers ?? {};
  if (location === undefined || kept === undefined || kept.status < 300 || kept.status > 399) return markup``;
  const target = URL.canParse(location, address) ? new URL(location, address).href : location;
  return markup`<p>It redirects to <code>${target}</code>.${destination !== undefined && markup` <a href="${endpointUrl(destination, 'settings')}">Change the address</a>`}</p>`;
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
  return markup`${keptReply(kept)}
<p class="muted">${bodyNote(kept)} Mailhook keeps ${KEPT_REPLIES}, as long as they are listed here.</p>`;
}

/** What Mailhook still holds of its events. They are shown if the request does not show them. */
function held({ held: found, wasSent, status, kind, request }: DeliveryAttemptDetail): Markup {
  if (found === undefined) {
    if (status === 'delivered' || kind === 'test' || wasSent === undefined) return markup``;
    return markup`<p>Mailhook does not hold its events any more: they were delivered since, or given up and deleted.</p>`;
  }
  if (found.state === 'unknown') {
    return markup`<p>Mailhook did not find its events among those that it searched. There are too many resends or dead letters to search them all, so it may still hold them.</p>`;
  }
  const { length } = found.payloads;
  const place =
    found.state === 'resend'
      ? plural(length, 'event is waiting for the next attempt', 'events are waiting for the next attempt')
      : plural(length, 'event is among the dead letters', 'events are among the dead letters');
  if (request?.body !== undefined) return markup`<p>${place}.</p>`;
  return markup`<h3>${place}</h3>
<pre tabindex="0" class="json">${jsonLines(JSON.stringify(found.payloads.slice(0, EVENTS_SHOWN)))?.lines}</pre>
${length > EVENTS_SHOWN && markup`<p class="muted">These are the first ${EVENTS_SHOWN}. The API has all of them.</p>`}`;
}

/** The hashes of the events that were not confirmed, if others of the batch were. */
function unconfirmed({ unconfirmed: count = 0, events, eventKeys = [] }: DeliveryAttemptDetail): Markup {
  if (count === 0) return markup``;
  return markup`<h3>${plural(count, 'event', 'events')} of ${events} not confirmed</h3><pre tabindex="0">${eventKeys.slice(0, Math.min(count, KEYS_SHOWN)).join('\n')}</pre>`;
}
