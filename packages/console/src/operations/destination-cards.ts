import { degradationOf, formatCount, plural, RESENDS_READ, spanText } from '@mailhook/core';
import type { DestinationView } from '@mailhook/core';
import { maskReceiverAddress } from '@mailhook/platform/logger';
import { badge, hidden, masked, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { accountUrl, OVERVIEW_PATH } from './view.ts';
import type { Names } from './view.ts';

export const KINDS = { transactional: 'Transactional', campaign: 'Campaign' } as const;

export interface CardContext {
  readonly names: Names;
  readonly nowMs: number;
  /** The query of the page that a button returns to. */
  readonly back: string;
  readonly deadLettersDays: number;
}

/** An account's name with its id, as a link to its page. */
export function accountLink(account: string, names: Names): Markup {
  const name = names.get(account);
  return markup`<a href="${accountUrl(account)}">${name ?? account}</a>${name !== undefined && markup` <code>${account}</code>`}`;
}

const SHOWN_CHARS = 200;

/** A text from outside, without recipients, and not too long for the page. */
export function excerpt(text: string): string {
  const shown = masked(text);
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}…` : shown;
}

/** "Show address" and the admin API have the whole address. */
export const maskedAddress = (address: string): string => excerpt(maskReceiverAddress(address));

const TONES = {
  parked: 'bad',
  paused: 'warn',
  waiting: 'warn',
  sending: 'good',
  inactive: 'plain',
  idle: 'plain',
} as const;

/**
 * A destination whose breaker is half-open is still parked to an operator, while the probe is due or in flight. One
 * that takes only some of its events is degraded, whatever it does now.
 */
function stateBadge(view: DestinationView): Markup {
  const { state, breaker, undelivered } = view;
  if (degradedText(view) !== undefined) return badge('warn', 'degraded');
  const isParked = breaker === 'half-open' && undelivered > 0 && (state === 'sending' || state === 'waiting');
  return badge(TONES[isParked ? 'parked' : state], isParked ? 'parked' : state);
}

/** What a degraded destination falls short of. Undefined if its state says more. */
function degradedText({ state, failures, lastHour }: DestinationView): string | undefined {
  const found = degradationOf(lastHour);
  const isHeld = state === 'paused' || state === 'parked' || state === 'inactive';
  if (found === undefined || isHeld || failures > 0) return undefined;
  return found.cause === 'unconfirmed'
    ? `confirms ${found.confirmedPercent} % of events`
    : `${found.failedPercent} % of attempts fail`;
}

/** Says what is next, because "parked" alone does not. */
function nextOf({ state, breaker, undelivered, inFlight, parkedUntil, nextResendAt }: DestinationView): Content {
  if (state === 'paused' || state === 'inactive' || undelivered === 0) return undefined;
  if (breaker !== 'closed' && inFlight > 0) return 'one attempt is in flight';
  const next = [parkedUntil, nextResendAt].filter((time) => time !== undefined).sort()[0];
  if (next !== undefined) return timeOf(next);
  return breaker === 'half-open' ? 'the probe is due' : undefined;
}

export function destinationCard(view: DestinationView, context: CardContext): Markup {
  const { id, kind, address, account, waiting, oldestWaitingAt, resends, failures } = view;
  const next = nextOf(view);
  const degraded = degradedText(view);
  const facts: readonly (readonly [string, Content])[] = [
    ['Address', markup`<span class="address">${maskedAddress(address)}</span>`],
    ['Account', accountLink(account, context.names)],
    [
      'Waiting',
      `${resends > RESENDS_READ ? 'about ' : ''}${plural(waiting, 'event', 'events')}${resends > 0 ? `, ${plural(resends, 'resend', 'resends')}` : ''}`,
    ],
    ...(oldestWaitingAt === undefined
      ? []
      : ([['Oldest', spanText(context.nowMs - Date.parse(oldestWaitingAt))]] as const)),
    ...(view.pausedUntil === undefined ? [] : ([['Paused until', timeOf(view.pausedUntil)]] as const)),
    ...(next === undefined ? [] : ([['Next attempt', next]] as const)),
    ...(failures > 0 ? ([['Failures in a row', formatCount(failures)]] as const) : []),
    ...(degraded === undefined ? [] : ([['In the last hour', degraded]] as const)),
    ...(view.inactiveReason === undefined ? [] : ([['Inactive because', excerpt(view.inactiveReason)]] as const)),
    ...(view.lastError === undefined ? [] : ([['Last error', excerpt(view.lastError)]] as const)),
  ];
  return markup`<article class="card stuck" id="d-${id}" data-part aria-labelledby="destination-${id}">
<h3 id="destination-${id}">${stateBadge(view)} ${KINDS[kind]} <code>${id}</code></h3>
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<div class="row actions">${actions(view, context)}</div>
</article>`;
}

const PAUSES = [
  ['60', '1 hour'],
  ['360', '6 hours'],
  ['1440', '1 day'],
  ['10080', '1 week'],
] as const;

function actions(view: DestinationView, { back, deadLettersDays }: CardContext): Content {
  const { id, state, address } = view;
  const form = (fields: Content): Markup =>
    markup`<form method="post" action="${OVERVIEW_PATH}">${hidden('destination', id)}${hidden('back', back)}${fields}</form>`;
  const button = (name: string, text: string): Markup =>
    form(markup`<button class="button quiet" name="do" value="${name}">${text}${unseen(` ${id}`)}</button>`);
  const show = maskedAddress(address) !== address && button('showAddress', 'Show address');
  if (state === 'inactive') return show;
  return markup`${show}
${state === 'parked' && button('probe', 'Try one event now')}
${state !== 'paused' && view.resends > 0 && button('sendNow', 'Send all now')}
${state === 'paused' && button('resume', 'Resume')}
${
  state !== 'paused' &&
  form(
    markup`<label class="unseen" for="minutes-${id}">Pause ${id} for</label><select id="minutes-${id}" name="minutes">${PAUSES.map(
      ([minutes, text]) => markup`<option value="${minutes}">${text}</option>`,
    )}</select><button class="button quiet" name="do" value="pause">Pause${unseen(` ${id}`)}</button>`,
  )
}
<details id="give-up-${id}"><summary class="button quiet">Give up…${unseen(` the waiting events of ${id}`)}</summary>
<div class="inset"><p>All undelivered events of this destination become dead letters. They are kept for ${deadLettersDays} days and can be re-driven.</p>
${form(
  markup`<div class="field"><label for="confirm-${id}">Type <code>${id}</code> to confirm</label>
<input id="confirm-${id}" name="confirm" autocomplete="off" required pattern="${id}"></div>
<button class="button danger" name="do" value="drop">Give up waiting events</button>`,
)}</div></details>`;
}
