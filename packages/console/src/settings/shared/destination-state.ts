import { degradationOf } from '@mailhook/core';
import type { DestinationHealth, DestinationStatus } from '@mailhook/core';
import { badge, timeOf } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { said } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import type { Endpoint } from './endpoints.ts';
import type { Frame } from '../family.ts';
import { isUnread, valueOf } from '../loaded.ts';
import type { WithStatuses } from '../parts.ts';

/** Tone and text of a badge. */
type Look = readonly ['good' | 'bad' | 'warn' | 'plain', Content];

const { states } = texts;

/** Red is what loses time or events, amber what may end by itself. */
const TONES: Readonly<Record<DestinationHealth, Look[0]>> = {
  no_deliveries: 'plain',
  healthy: 'good',
  degraded: 'warn',
  failing: 'warn',
  parked: 'bad',
  paused: 'warn',
  off: 'plain',
  switched_off: 'bad',
};

/** The state of an endpoint in a word. If the page does not read it, whether the endpoint is on. */
export function endpointState(
  { id, settings }: Endpoint,
  { destinations, statuses }: Pick<Frame, 'destinations'> & WithStatuses,
): Markup {
  const isUnknown = isUnread(statuses) || (id === 'campaign' && isUnread(destinations));
  const status = valueOf(statuses)?.get(id);
  const asSet: Look = ['plain', settings?.active === true ? states.on : states.off];
  const known: Look = status === undefined ? asSet : [toneOf(status), states[status.state]];
  const read: Look = settings === undefined ? ['plain', states.notSetUp] : known;
  const look: Look = isUnknown ? ['plain', states.unknown] : read;
  return html`<div class="state" id="state-${id}" data-part>${badge(...look)}</div>`;
}

/** A parked destination without events holds nothing back. */
const toneOf = ({ state, waiting }: DestinationStatus): Look[0] =>
  state === 'parked' && waiting === 0 ? 'warn' : TONES[state];

/** What is wrong with a destination, in one sentence. Undefined if nothing is, or if the customer wants it so. */
export function troubleOf(
  status: DestinationStatus,
): { readonly tone: 'bad' | 'warn'; readonly text: Localized } | undefined {
  const { state, failures, pausedBy, waiting } = status;
  if (state === 'parked') return { tone: waiting === 0 ? 'warn' : 'bad', text: states.stopped({ failures }) };
  if (state === 'failing') return { tone: 'warn', text: states.lastFailed({ failures }) };
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

/** Why Mailhook switched a destination off, and when, or the reason of its last failed attempt, as sentences. */
export function whyOf(status: DestinationStatus): Markup {
  const { state, goneAt, inactiveReason: reason } = status;
  if (state !== 'switched_off') return lastError(status);
  return html`${goneAt !== undefined && [states.switchedOffAt({ time: timeOf(goneAt) }), ' ']}${
    reason !== undefined && [states.reason({ error: said(reason) }), ' ']
  }`;
}

/** The reason of the last failed attempt, as a sentence. */
export const lastError = ({ lastError: error }: DestinationStatus): Markup =>
  html`${error !== undefined && [states.reason({ error: said(error) }), ' ']}`;
