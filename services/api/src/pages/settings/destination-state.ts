import type { DestinationHealth, DestinationStatus } from '@mailhook/core';
import { badge, count, masked, notice, plural, timeOf } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const BADGES: Readonly<Record<DestinationHealth, readonly ['good' | 'bad' | 'warn', string]>> = {
  healthy: ['good', 'Healthy'],
  failing: ['bad', 'Failing'],
  parked: ['bad', 'Parked'],
  paused: ['warn', 'Paused'],
  off: ['warn', 'Off'],
  switched_off: ['bad', 'Switched off by Mailhook'],
};

/** The state of a destination in a word. `fallback` is shown while the state cannot be read. */
export function stateBadge(id: string, status: DestinationStatus | undefined, fallback: Markup): Markup {
  const [tone, text] = status === undefined ? [] : BADGES[status.state];
  return markup`<div class="state" id="state-${id}" data-part>${tone === undefined || text === undefined ? fallback : badge(tone, text)}</div>`;
}

/** Why a destination gets nothing or only some of its events, what becomes of them, and when Mailhook tries again. Empty if all is well. */
export function stateNotice(id: string, status: DestinationStatus | undefined): Markup {
  return markup`<div id="why-${id}" data-part>${status !== undefined && explanation(status)}</div>`;
}

function explanation(status: DestinationStatus): Markup | false {
  const { state, failures, parkedUntil, pausedUntil, nextAttemptAt, resends } = status;
  if (state === 'parked') {
    return notice(
      'bad',
      markup`<strong>Mailhook has stopped sending here after ${plural(failures, 'failed attempt', 'failed attempts')} in a row.</strong>
${lastError(status)}${parkedUntil !== undefined && markup`It tries one event at ${timeOf(parkedUntil)}, and sends the rest as soon as your server takes one.`} ${kept(status)}`,
    );
  }
  if (state === 'failing') {
    return notice(
      'bad',
      markup`<strong>${failures === 1 ? 'The last attempt failed.' : `The last ${count(failures)} attempts failed.`}</strong>
${lastError(status)}${nextAttemptAt !== undefined && markup`The next attempt is due at ${timeOf(nextAttemptAt)}.`} ${kept(status)}`,
    );
  }
  if (state === 'paused') {
    return notice(
      'warn',
      markup`<strong>An operator of Mailhook has paused deliveries</strong>${pausedUntil !== undefined && markup` until ${timeOf(pausedUntil)}`}. ${kept(status)}`,
    );
  }
  if (state !== 'healthy' || resends === 0) return false;
  return markup`<p class="hint">${plural(resends, 'failed request waits', 'failed requests wait')} for another attempt${
    nextAttemptAt !== undefined && markup`, the next one at ${timeOf(nextAttemptAt)}`
  }. ${lastError(status)}</p>`;
}

const lastError = ({ lastError: error }: DestinationStatus): Markup =>
  markup`${error !== undefined && `The reason: ${masked(error)}. `}`;

const kept = ({ waiting, oldestWaitingAt }: DestinationStatus): Markup =>
  markup`${
    waiting > 0 &&
    markup`${plural(waiting, 'event waits', 'events wait')} and ${waiting === 1 ? 'is' : 'are'} not lost${oldestWaitingAt !== undefined && markup`, the oldest since ${timeOf(oldestWaitingAt)}`}.`
  }`;
