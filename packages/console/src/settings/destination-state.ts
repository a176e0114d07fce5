import { degradationOf, RESENDS_READ } from '@mailhook/core';
import type { DestinationHealth, DestinationStatus } from '@mailhook/core';
import { actionButton, badge, hidden, masked, notice, timeOf, unseen } from '../html/elements.ts';
import { count } from '../html/formats.ts';
import { markup } from '../html/markup.ts';
import type { Content, Localized, Markup } from '../html/markup.ts';
import type { Around } from '../messages/catalog.ts';
import { said } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import type { Endpoint } from './endpoints.ts';
import { pathOf } from './pages.ts';
import type { LiveView } from './view.ts';
import { valueOf } from './view.ts';

/** Tone and text of a badge. */
type Look = readonly ['good' | 'bad' | 'warn' | 'plain', Content];

const { states } = texts;

const TONES: Readonly<Record<DestinationHealth, Look[0]>> = {
  no_deliveries: 'plain',
  healthy: 'good',
  degraded: 'warn',
  failing: 'bad',
  parked: 'bad',
  paused: 'warn',
  off: 'warn',
  switched_off: 'bad',
};

/** The state of an endpoint in a word. While the state cannot be read, whether it is on. */
export function endpointState({ id, address, isOn }: Endpoint, { statuses }: Pick<LiveView, 'statuses'>): Markup {
  const state = valueOf(statuses)?.get(id)?.state;
  const settings: Look = isOn ? ['plain', states.on] : ['warn', states.off];
  const known: Look = state === undefined ? settings : [TONES[state], states[state]];
  const look: Look = address === undefined ? ['plain', states.notSetUp] : known;
  return markup`<div class="state" id="state-${id}" data-part>${badge(...look)}</div>`;
}

/**
 * Why a destination gets nothing or only some of its events, what becomes of them, when Mailhook tries again, and what
 * the customer can do. Empty if all is well.
 */
export function stateNotice(id: string, view: StateView): Markup {
  const status = valueOf(view.statuses)?.get(id);
  return markup`<div id="why-${id}" data-part>${status !== undefined && markup`${explanation(status, deadLettersOf(view, id))}${actionsOn(status)}`}</div>`;
}

type StateView = Pick<LiveView, 'statuses' | 'deadLetters' | 'question'>;

/** The dead letters of a destination, with a link to them. Counts those that the page lists. */
function deadLettersOf({ deadLetters, question }: StateView, id: string): Markup | false {
  const { items = [], nextCursor } = valueOf(deadLetters) ?? {};
  const events = items.reduce((sum, one) => sum + (one.destination === id ? one.events : 0), 0);
  if (events === 0) return false;
  const isPart = nextCursor !== undefined || question.dead !== '';
  const link: Around = (words) => markup`<a href="${pathOf('dead-letters')}">${words}</a>`;
  return markup` ${isPart ? states.atLeastDeadLetters({ events, link }) : states.deadLetters({ events, link })}`;
}

/** Sends what waits for a later attempt, or ends the customer's own pause. */
function actionsOn({ destination, state, pausedBy, resends, address }: DestinationStatus): Markup | false {
  const whom = unseen(` (${masked(address)})`);
  if (state === 'paused') {
    return (
      pausedBy === 'customer' &&
      markup`<form method="post" class="row">${hidden('destination', destination)}
${actionButton({ id: `resume-${destination}`, value: 'resume', text: markup`${states.resume}${whom}`, busy: states.resuming, look: 'primary' })}</form>`
    );
  }
  if (state === 'off' || state === 'switched_off' || (resends === 0 && state !== 'parked')) return false;
  return markup`<form method="post" class="row">${hidden('destination', destination)}
${actionButton({ id: `send-now-${destination}`, value: 'send-now', text: markup`${states.sendNow}${whom}`, busy: states.starting })}
<span class="check"><input type="checkbox" id="with-dead-letters-${destination}" name="deadLetters" value="true"> <label for="with-dead-letters-${destination}">${states.deadLettersToo}</label></span></form>`;
}

function explanation(status: DestinationStatus, deadLetters: Markup | false): Markup | false {
  const { state, parkedUntil, nextAttemptAt, resends } = status;
  const headline = markup`<strong>${troubleOf(status)?.text}</strong>`;
  if (state === 'parked') {
    return notice(
      'bad',
      markup`${headline}
${lastError(status)}${parkedUntil !== undefined && states.triesOne({ time: timeOf(parkedUntil) })} ${kept(status)}${deadLetters}`,
    );
  }
  if (state === 'failing') {
    const next = isEstimated(status) ? states.nextAttemptOrEarlier : states.nextAttempt;
    return notice(
      'bad',
      markup`${headline}
${lastError(status)}${nextAttemptAt !== undefined && next({ time: timeOf(nextAttemptAt) })} ${kept(status)}${deadLetters}`,
    );
  }
  if (state === 'degraded') {
    return notice('warn', markup`${headline} ${remedyOf(status)} ${lastError(status)}${kept(status)}${deadLetters}`);
  }
  if (state === 'paused') {
    return notice('warn', markup`<strong>${pauseOf(status)}</strong> ${states.keptUntilThen} ${kept(status)}`);
  }
  if (state === 'off') return markup`<p class="hint">${states.offHint}</p>`;
  if (state === 'no_deliveries') return markup`<p class="hint">${states.noDeliveriesHint}</p>`;
  return state === 'healthy' && resends > 0 && markup`<p class="hint">${resendsOf(status)} ${lastError(status)}</p>`;
}

function pauseOf({ pausedBy, pausedUntil }: DestinationStatus): Localized {
  const isOwn = pausedBy === 'customer';
  if (pausedUntil === undefined) return isOwn ? states.customerPaused : states.operatorPaused;
  const time = timeOf(pausedUntil);
  return isOwn ? states.customerPausedUntil({ time }) : states.operatorPausedUntil({ time });
}

function resendsOf(status: DestinationStatus): Localized {
  const { resends: requests, nextAttemptAt } = status;
  if (nextAttemptAt === undefined) return states.resendsWait({ requests });
  const until = isEstimated(status) ? states.resendsWaitUntilOrEarlier : states.resendsWaitUntil;
  return until({ requests, time: timeOf(nextAttemptAt) });
}

/** What is wrong with a destination, in one sentence. Undefined if nothing is, or if the customer wants it so. */
export function troubleOf(
  status: DestinationStatus,
): { readonly tone: 'bad' | 'warn'; readonly text: Localized } | undefined {
  const { state, failures, pausedBy } = status;
  if (state === 'parked') return { tone: 'bad', text: states.stopped({ failures }) };
  if (state === 'failing') return { tone: 'bad', text: states.lastFailed({ failures }) };
  if (state === 'switched_off') return { tone: 'bad', text: states.switchedOff };
  if (state === 'paused') {
    return { tone: 'warn', text: pausedBy === 'customer' ? states.pausedByCustomer : states.pausedByOperator };
  }
  const text = state === 'degraded' && shortfallOf(status);
  return text === false ? undefined : { tone: 'warn', text };
}

/** What a degraded destination falls short of. */
function shortfallOf({ lastHour }: DestinationStatus): Localized | false {
  const found = degradationOf(lastHour);
  if (found === undefined) return false;
  const { confirmed, unconfirmed, delivered, failed } = lastHour;
  return found.cause === 'unconfirmed'
    ? states.unconfirmed({
        percent: count(found.confirmedPercent),
        confirmed: count(confirmed),
        unconfirmed: count(unconfirmed),
      })
    : states.manyFail({ percent: count(found.failedPercent), failed: count(failed), all: count(delivered + failed) });
}

const remedyOf = ({ lastHour }: DestinationStatus): Localized =>
  degradationOf(lastHour)?.cause === 'unconfirmed' ? states.confirmEach : states.lastSucceeded;

/** The reason of the last failed attempt, as a sentence. */
export const lastError = ({ lastError: error }: DestinationStatus): Markup =>
  markup`${error !== undefined && [states.reason({ error: said(error) }), ' ']}`;

/** Mailhook reads a part of many resends only. */
const isEstimated = ({ resends }: DestinationStatus): boolean => resends > RESENDS_READ;

function kept(status: DestinationStatus): Localized | false {
  const { waiting: events, oldestWaitingAt } = status;
  const isAbout = isEstimated(status);
  if (events === 0) return false;
  if (oldestWaitingAt === undefined) return isAbout ? states.aboutWaiting({ events }) : states.waiting({ events });
  const since = { events, time: timeOf(oldestWaitingAt) };
  return isAbout ? states.aboutWaitingSince(since) : states.waitingSince(since);
}
