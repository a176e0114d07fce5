import { degradationOf, pageTitle, quote } from '@mailhook/core';
import type { DestinationStatus } from '@mailhook/core';
import { actionButton, hidden, masked, timeOf, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import type { Around } from '../../messages/catalog.ts';
import { saidSentence, saidQuote } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { adviceOn } from '../../messages/advice.ts';
import {
  causeOf,
  failuresOf,
  isEstimated,
  lastError,
  pageTakenFor,
  recoveryOf,
  resendsOf,
  troubleOf,
  whyOf,
} from '../shared/destination-state.ts';
import { endpointUrl, pageOf, pathOf, urlOf } from '../navigation.ts';
import { ASK_NEW_ADDRESS } from './stop-actions.ts';
import type { Frame } from '../family.ts';
import { isSigned, valueOf } from '../loaded.ts';
import type { WithNewest } from '../parts.ts';

type NoticeView = Pick<Frame, 'deadLetters' | 'question' | 'statuses'> & WithNewest;

const { states } = texts;

/**
 * The notice on every tab of an endpoint that gets nothing or only some of its events: why, what to do, and the buttons
 * for it. In a narrow window only the cause is open. Empty if all is well. `id`: a public one.
 */
export function stateNotice(id: string, view: NoticeView): Markup {
  const status = valueOf(view.statuses)?.get(id);
  return html`<div id="why-${id}" data-part>
    ${status !== undefined && (notice(status, view) ?? pageNotice(id, view) ?? hint(status, view))}
  </div>`;
}

function notice(status: DestinationStatus, view: NoticeView): Markup | undefined {
  const trouble = troubleOf(status);
  if (trouble === undefined) return undefined;
  const { destination: id, state } = status;
  const advice = adviceFor(status, view);
  const cause = state === 'paused' ? pauseOf(status) : isFailing(status) ? causeOf(status) : trouble.text;
  return html`<div class="notice ${trouble.tone} why">
    <p><strong>${cause}</strong> ${keptOf(status)}</p>
    ${isFailing(status) && quotation(view)}
    ${
      advice !== undefined &&
      html`<details class="folds" id="advice-${id}">
        <summary>${states.whatToDo}</summary>
        <p>${advice}</p>
        <p>${reasonsOf(status, trouble.text)}${deadLettersOf(view)}</p>
      </details>`
    }
    ${buttons(status, view)}
  </div>`;
}

/** Most characters of a reply's first line. */
const QUOTED_CHARS = 160;

/** What the receiver itself says in its kept reply: of a page its title, of JSON and other texts the beginning. */
function quotation({ lastFailure }: NoticeView): Markup | undefined {
  const body = (lastFailure && valueOf(lastFailure)?.reply?.body.trim()) ?? '';
  const text = /^[[{]/.test(body) ? body : (body.split('\n', 1)[0] ?? '');
  const line = (body.startsWith('<') ? pageTitle(body) : text).trim();
  if (line === '') return undefined;
  return html`<p>${states.replied({ reply: html`<bdi>${saidQuote(masked(quote(line, QUOTED_CHARS)))}</bdi>` })}</p>`;
}

const isFailing = ({ state }: DestinationStatus): boolean => state === 'parked' || state === 'failing';

/** What the customer can do. A pause needs nothing. */
function adviceFor(status: DestinationStatus, { signing }: NoticeView): Content {
  const { destination, state, lastError: error } = status;
  switch (state) {
    case 'parked':
    case 'failing':
      return error === undefined
        ? texts.advice.otherwise
        : adviceOn(error, signing === undefined || isSigned(signing, destination));
    case 'degraded':
      return degradationOf(status.lastHour)?.cause === 'unconfirmed' ? states.confirmEach : failuresOf(status);
    case 'switched_off':
      return texts.advice.ended;
    case 'paused':
    case 'no_deliveries':
    case 'healthy':
    case 'off':
      return undefined;
  }
}

/** What becomes of events meanwhile. */
function keptOf(status: DestinationStatus): Content {
  if (status.state === 'switched_off') return states.notKept;
  return [status.state === 'paused' && [states.keptUntilThen, ' '], kept(status)];
}

/** What else is known. `trouble`: what is wrong, in a sentence. */
function reasonsOf(status: DestinationStatus, trouble: Content): Content {
  const { state, parkedUntil, nextAttemptAt } = status;
  if (!isFailing(status)) return whyOf(status);
  const next = isEstimated(status) ? states.nextAttemptOrEarlier : states.nextAttempt;
  return [
    [trouble, ' '],
    state === 'parked' && parkedUntil !== undefined && states.triesOne({ time: timeOf(parkedUntil) }),
    state === 'failing' && nextAttemptAt !== undefined && next({ time: timeOf(nextAttemptAt) }),
  ];
}

/** The buttons that lead to the fault, or end it. */
function buttons(status: DestinationStatus, view: NoticeView): Markup {
  const { destination: id, state, pausedBy, address, lastError: error } = status;
  const whom = unseen(` (${masked(address)})`);
  if (state === 'paused') {
    return html`${
      pausedBy === 'customer' &&
      form(
        id,
        actionButton({
          id: `resume-${id}`,
          value: 'resume',
          text: html`${states.resume}${whom}`,
          busy: states.resuming,
          look: 'primary',
        }),
      )
    }`;
  }
  const isOff = state === 'switched_off';
  const isRedirect = !isOff && error?.code === 'redirect';
  return form(
    id,
    html`${
        isOff &&
        html`<a class="button primary" href="${endpointUrl(id, 'settings')}#address">${states.enterAddress}</a>`
      }
      ${
        isRedirect &&
        actionButton({
          id: `use-address-${id}`,
          value: ASK_NEW_ADDRESS,
          text: states.useAddress,
          busy: states.reading,
          look: 'primary',
        })
      }
      <a class="button quiet" href="${requestUrl(id, view)}">${states.showRequest}</a>
      ${
        view.question.tab !== 'testing' &&
        actionButton({
          id: `why-check-${id}`,
          value: 'check-endpoint',
          text: texts.setup.check,
          busy: texts.setup.checking,
        })
      }
      ${!isOff && sendNow(status, whom)}`,
  );
}

const form = (id: string, content: Markup): Markup =>
  html`<form method="post" class="row">${hidden('destination', id)}${content}</form>`;

/** Sends what waits for a later attempt. */
function sendNow({ destination: id, state, resends }: DestinationStatus, whom: Markup): Markup | false {
  if (resends === 0 && state !== 'parked') return false;
  return html`${actionButton({
      id: `send-now-${id}`,
      value: 'send-now',
      text: html`${states.sendNow}${whom}`,
      busy: states.starting,
    })}
    <span class="check"
      ><input type="checkbox" id="with-dead-letters-${id}" name="deadLetters" value="true" />
      <label for="with-dead-letters-${id}">${states.deadLettersToo}</label></span
    >`;
}

/** The newest failed attempt, if it is among the listed ones, or else the list of them. */
function requestUrl(id: string, { newest }: NoticeView): string {
  const failed = valueOf(newest)?.items.find(({ kind, status }) => kind !== 'test' && status !== 'delivered');
  const list = pageOf('endpoints', id, 'deliveries');
  return urlOf(list, failed === undefined ? { status: 'not_delivered' } : { attempt: failed.id });
}

/** A web page that answers with 200 counts as a delivery. */
function pageNotice(id: string, { newest }: NoticeView): Markup | undefined {
  const error = pageTakenFor(id, newest);
  if (error === undefined) return undefined;
  return html`<div class="notice warn why">
    <p><strong>${saidSentence(error)}</strong></p>
    <p>${adviceOn(error, false)}</p>
  </div>`;
}

/** What an endpoint without trouble may need to know. */
function hint(status: DestinationStatus, view: NoticeView): Markup | false {
  const { state, resends } = status;
  const { tab } = view.question;
  // A customer who sees a failed delivery in the list can send it now.
  if ((tab === 'overview' || tab === 'deliveries') && state === 'healthy' && resends > 0) {
    const whom = unseen(` (${masked(status.address)})`);
    return html`<p class="hint">${resendsOf(status)} ${lastError(status)}</p>
      ${form(status.destination, html`${sendNow(status, whom)}`)}`;
  }
  if (tab !== 'overview') return false;
  const recovery = recoveryOf(status);
  if (recovery !== undefined) return html`<p class="notice plain">${recovery}</p>`;
  if (state === 'off') return html`<p class="hint">${states.offHint}</p>`;
  return state === 'no_deliveries' && html`<p class="hint">${states.noDeliveriesHint}</p>`;
}

/** The dead letters of the endpoint, with a link to them. The page lists the newest ones. */
function deadLettersOf({ deadLetters }: NoticeView): Markup | false {
  const { items = [], nextCursor } = valueOf(deadLetters) ?? {};
  const events = items.reduce((sum, one) => sum + one.events, 0);
  if (events === 0) return false;
  const link: Around = (words) => html`<a href="${pathOf('dead-letters')}">${words}</a>`;
  return html` ${nextCursor === undefined ? states.deadLetters({ events, link }) : states.someDeadLetters({ link })}`;
}

function pauseOf({ pausedBy, pausedUntil }: DestinationStatus): Localized {
  const isOwn = pausedBy === 'customer';
  if (pausedUntil === undefined) return isOwn ? states.customerPaused : states.operatorPaused;
  const time = timeOf(pausedUntil);
  return isOwn ? states.customerPausedUntil({ time }) : states.operatorPausedUntil({ time });
}

function kept(status: DestinationStatus): Localized | false {
  const { waiting: events, oldestWaitingAt } = status;
  const isAbout = isEstimated(status);
  if (events === 0) return false;
  if (oldestWaitingAt === undefined) return isAbout ? states.aboutWaiting({ events }) : states.waiting({ events });
  const since = { events, time: timeOf(oldestWaitingAt) };
  return isAbout ? states.aboutWaitingSince(since) : states.waitingSince(since);
}
