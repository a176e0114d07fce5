import { degradationOf, formatCount, plural, RESENDS_READ } from '@mailhook/core';
import type { DestinationHealth, DestinationStatus } from '@mailhook/core';
import { actionButton, badge, hidden, masked, notice, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Endpoint } from './endpoints.ts';
import { pathOf } from './pages.ts';
import type { LiveView } from './view.ts';
import { valueOf } from './view.ts';

/** Tone and text of a badge. */
type Look = readonly ['good' | 'bad' | 'warn' | 'plain', string];

const BADGES: Readonly<Record<DestinationHealth, Look>> = {
  no_deliveries: ['plain', 'No deliveries yet'],
  healthy: ['good', 'Healthy'],
  degraded: ['warn', 'Degraded'],
  failing: ['bad', 'Failing'],
  parked: ['bad', 'Parked'],
  paused: ['warn', 'Paused'],
  off: ['warn', 'Off'],
  switched_off: ['bad', 'Switched off by Mailhook'],
};

/** The state of an endpoint in a word. While the state cannot be read, whether it is on. */
export function endpointState({ id, address, isOn }: Endpoint, { statuses }: Pick<LiveView, 'statuses'>): Markup {
  const state = valueOf(statuses)?.get(id)?.state;
  const settings: Look = isOn ? ['plain', 'On'] : ['warn', 'Off'];
  const look: Look = address === undefined ? ['plain', 'Not set up'] : state === undefined ? settings : BADGES[state];
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
  return markup` ${isPart && 'At least '}${plural(events, 'event is a dead letter', 'events are dead letters')}: <a href="${pathOf('dead-letters')}">deliver ${events === 1 ? 'it' : 'them'} again</a>.`;
}

/** Sends what waits for a later attempt, or ends the customer's own pause. */
function actionsOn({ destination, state, pausedBy, resends, address }: DestinationStatus): Markup | false {
  const whom = unseen(` (${masked(address)})`);
  if (state === 'paused') {
    return (
      pausedBy === 'customer' &&
      markup`<form method="post" class="row">${hidden('destination', destination)}
${actionButton({ id: `resume-${destination}`, value: 'resume', text: markup`Resume${whom}`, busy: 'Resuming…', look: 'primary' })}</form>`
    );
  }
  if (state === 'off' || state === 'switched_off' || (resends === 0 && state !== 'parked')) return false;
  return markup`<form method="post" class="row">${hidden('destination', destination)}
${actionButton({ id: `send-now-${destination}`, value: 'send-now', text: markup`Send everything now${whom}`, busy: 'Starting…' })}
<span class="check"><input type="checkbox" id="with-dead-letters-${destination}" name="deadLetters" value="true"> <label for="with-dead-letters-${destination}">Its dead letters too</label></span></form>`;
}

function explanation(status: DestinationStatus, deadLetters: Markup | false): Markup | false {
  const { state, parkedUntil, pausedUntil, pausedBy, nextAttemptAt, resends } = status;
  const orEarlier = isEstimated(status) && ' or earlier';
  const headline = markup`<strong>${troubleOf(status)?.text}</strong>`;
  if (state === 'parked') {
    return notice(
      'bad',
      markup`${headline}
${lastError(status)}${parkedUntil !== undefined && markup`It tries one event at ${timeOf(parkedUntil)}, and sends the rest as soon as your server takes one.`} ${kept(status)}${deadLetters}`,
    );
  }
  if (state === 'failing') {
    return notice(
      'bad',
      markup`${headline}
${lastError(status)}${nextAttemptAt !== undefined && markup`The next attempt is due at ${timeOf(nextAttemptAt)}${orEarlier}.`} ${kept(status)}${deadLetters}`,
    );
  }
  if (state === 'degraded') {
    return notice('warn', markup`${headline} ${remedyOf(status)} ${lastError(status)}${kept(status)}${deadLetters}`);
  }
  if (state === 'paused') {
    return notice(
      'warn',
      markup`<strong>${pausedBy === 'customer' ? 'You have' : 'An operator of Mailhook has'} paused deliveries</strong>${pausedUntil !== undefined && markup` until ${timeOf(pausedUntil)}`}. New events are kept and sent then. ${kept(status)}`,
    );
  }
  if (state === 'off') {
    return markup`<p class="hint">Off: Mailhook does not keep new events for this address. Events that waited became dead letters.</p>`;
  }
  if (state === 'no_deliveries') {
    return markup`<p class="hint">Mailhook sent nothing here in the last 7 days. A test shows whether your server answers.</p>`;
  }
  if (state !== 'healthy' || resends === 0) return false;
  return markup`<p class="hint">${plural(resends, 'failed request waits', 'failed requests wait')} for another attempt${
    nextAttemptAt !== undefined && markup`, the next one at ${timeOf(nextAttemptAt)}${orEarlier}`
  }. ${lastError(status)}</p>`;
}

/** What is wrong with a destination, in one sentence. Undefined if nothing is, or if the customer wants it so. */
export function troubleOf(
  status: DestinationStatus,
): { readonly tone: 'bad' | 'warn'; readonly text: string } | undefined {
  const { state, failures, pausedBy } = status;
  if (state === 'parked') {
    const times = plural(failures, 'failed attempt', 'failed attempts');
    return { tone: 'bad', text: `Mailhook has stopped sending here after ${times} in a row.` };
  }
  if (state === 'failing') {
    const text = failures === 1 ? 'The last attempt failed.' : `The last ${formatCount(failures)} attempts failed.`;
    return { tone: 'bad', text };
  }
  if (state === 'switched_off') return { tone: 'bad', text: 'Mailhook switched this off.' };
  if (state === 'paused') {
    return { tone: 'warn', text: `${pausedBy === 'customer' ? 'You have' : 'An operator of Mailhook has'} paused it.` };
  }
  const text = state === 'degraded' && shortfallOf(status);
  return text === false ? undefined : { tone: 'warn', text };
}

/** What a degraded destination falls short of. */
function shortfallOf({ lastHour }: DestinationStatus): string | false {
  const found = degradationOf(lastHour);
  if (found === undefined) return false;
  const { confirmed, unconfirmed, delivered, failed } = lastHour;
  return found.cause === 'unconfirmed'
    ? `Your server confirms ${found.confirmedPercent} % of events: in the last hour, it confirmed ${formatCount(confirmed)} and left out ${formatCount(unconfirmed)}.`
    : `${found.failedPercent} % of attempts fail: in the last hour, ${formatCount(failed)} of ${formatCount(delivered + failed)} failed.`;
}

const remedyOf = ({ lastHour }: DestinationStatus): string =>
  degradationOf(lastHour)?.cause === 'unconfirmed'
    ? 'Confirm every event that you stored, also those that you know already.'
    : 'The last attempt was successful.';

/** The reason of the last failed attempt, as a sentence. */
export const lastError = ({ lastError: error }: DestinationStatus): Markup =>
  markup`${error !== undefined && `The reason: ${masked(error)}. `}`;

/** Mailhook reads a part of many resends only. */
const isEstimated = ({ resends }: DestinationStatus): boolean => resends > RESENDS_READ;

const kept = (status: DestinationStatus): Markup => {
  const { waiting, oldestWaitingAt } = status;
  return markup`${
    waiting > 0 &&
    markup`${isEstimated(status) && 'About '}${plural(waiting, 'event waits', 'events wait')} and ${waiting === 1 ? 'is' : 'are'} not lost${oldestWaitingAt !== undefined && markup`, the oldest since ${timeOf(oldestWaitingAt)}${isEstimated(status) && ' or earlier'}`}.`
  }`;
};
