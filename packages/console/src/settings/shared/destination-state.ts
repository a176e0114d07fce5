import { causeIn, degradationOf, RESENDS_READ } from '@mailhook/core';
import type { CodedText, DestinationHealth, DestinationStatus } from '@mailhook/core';
import { badge, timeOf } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { said, saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import type { Endpoint } from './endpoints.ts';
import type { Frame } from '../family.ts';
import { isUnread, valueOf } from '../loaded.ts';
import type { WithDeliveries, WithNewest } from '../parts.ts';

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

/** The state of a destination in a word. */
export const stateBadge = (status: DestinationStatus): Markup => badge(...lookOf(status));

type StateView = Pick<Frame, 'destinations' | 'statuses'> & Partial<WithDeliveries & WithNewest>;

/** The state of an endpoint in a word. If the page does not read it, whether the endpoint is on. */
export function endpointState(
  { id, settings }: Endpoint,
  { destinations, statuses, newest, deliveries }: StateView,
): Markup {
  const isUnknown = isUnread(statuses) || (id === 'campaign' && isUnread(destinations));
  const status = valueOf(statuses)?.get(id);
  const asSet: Look = ['plain', settings?.active === true ? states.on : states.off];
  const page = status?.state === 'healthy' ? pageTakenFor(id, newest ?? deliveries) : undefined;
  const own: Look = status === undefined ? asSet : lookOf(status);
  const known: Look = page === undefined ? own : ['warn', states.webPage];
  const read: Look = settings === undefined ? ['plain', states.notSetUp] : known;
  const look: Look = isUnknown ? ['plain', states.unknown] : read;
  return html`<div class="state" id="state-${id}" data-part>${badge(...look)}</div>`;
}

/** A parked destination without events holds nothing back, and a recovered one needs nothing. */
function lookOf(status: DestinationStatus): Look {
  const { state, waiting } = status;
  if (recoveryOf(status) !== undefined) return ['good', states.recovered];
  return [state === 'parked' && waiting === 0 ? 'warn' : TONES[state], states[state]];
}

/** The worst first. Others stay in their order. */
const WORST_FIRST: readonly DestinationHealth[] = ['switched_off', 'parked', 'failing', 'degraded', 'paused'];

function rankOf(endpoint: Endpoint): number {
  const { status } = endpoint;
  return status === undefined || !needsAttention(endpoint) ? WORST_FIRST.length : WORST_FIRST.indexOf(status.state);
}

/** Whether the overview lists the endpoint among what needs attention. */
export const needsAttention = ({ status }: Endpoint): boolean =>
  status !== undefined && troubleOf(status) !== undefined;

export const worstFirst = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.toSorted((a, b) => rankOf(a) - rankOf(b));

/** What is wrong with a destination, in one sentence. Undefined if nothing is, or if the customer wants it so. */
export function troubleOf(
  status: DestinationStatus,
): { readonly tone: 'bad' | 'warn'; readonly text: Content } | undefined {
  const { state, failures, pausedBy, waiting } = status;
  if (state === 'parked') return { tone: waiting === 0 ? 'warn' : 'bad', text: states.stopped({ failures }) };
  if (state === 'failing') return { tone: 'warn', text: states.lastFailed({ failures }) };
  if (state === 'switched_off') return { tone: 'bad', text: states.switchedOff };
  if (state === 'paused') {
    return { tone: 'warn', text: pausedBy === 'customer' ? states.pausedByCustomer : states.pausedByOperator };
  }
  if (state !== 'degraded' || recoveryOf(status) !== undefined) return undefined;
  return { tone: 'warn', text: shortfallOf(status) };
}

/**
 * What failed at a receiver that works again: its last attempt succeeded, and nothing waits for another one. A receiver
 * that leaves events out has no failures in a row, so nothing shows that it confirms all of them again.
 */
export function recoveryOf(status: DestinationStatus): Content {
  const { state, failures, resends, lastHour } = status;
  if (state !== 'degraded' || failures > 0 || resends > 0 || lastHour.unconfirmed > 0) return undefined;
  return [states.noneWaits, ' ', failuresOf(status)];
}

/**
 * The web page that answered an endpoint's newest test or its newest other attempt in place of its server. Pages look
 * for it among the attempts that they list.
 */
export function pageTakenFor(id: string, listed: WithNewest['newest'] | undefined): CodedText | undefined {
  const own = (listed && valueOf(listed))?.items.filter(({ destination }) => destination === id) ?? [];
  const newest = [own.find(({ kind }) => kind === 'test'), own.find(({ kind }) => kind !== 'test')];
  return newest.find((one) => one?.error?.code === 'test-page')?.error;
}

/** How many attempts of the last hour failed. */
export const failuresOf = ({ lastHour: { delivered, failed } }: DestinationStatus): Localized =>
  states.hadFailures({ failed: count(failed), all: count(delivered + failed) });

/** What a degraded destination falls short of. If attempts failed, the last one succeeded. */
function shortfallOf(status: DestinationStatus): Content {
  const { confirmed, unconfirmed } = status.lastHour;
  const found = degradationOf(status.lastHour);
  return found?.cause === 'unconfirmed'
    ? states.unconfirmed({
        percent: count(found.confirmedPercent),
        confirmed: count(confirmed),
        unconfirmed: count(unconfirmed),
      })
    : [states.lastSucceeded, ' ', resendsOf(status)];
}

/** How many failed requests wait for another attempt, and until when. */
export function resendsOf(status: DestinationStatus): Localized {
  const { resends: requests, nextAttemptAt } = status;
  if (nextAttemptAt === undefined) return states.resendsWait({ requests });
  const until = isEstimated(status) ? states.resendsWaitUntilOrEarlier : states.resendsWaitUntil;
  return until({ requests, time: timeOf(nextAttemptAt) });
}

/** Mailhook reads a part of many resends only. */
export const isEstimated = ({ resends }: DestinationStatus): boolean => resends > RESENDS_READ;

/** Why a destination is in trouble, in a few words. */
export function causeOf(status: DestinationStatus): Content {
  const { state, lastError: error, inactiveReason, lastHour } = status;
  const found = state === 'degraded' ? degradationOf(lastHour) : undefined;
  if (found?.cause === 'unconfirmed') return states.confirmsOnly({ percent: count(found.confirmedPercent) });
  const reason = state === 'switched_off' ? inactiveReason : error;
  const isAsItStands = state === 'paused' || state === 'degraded' || reason === undefined;
  return isAsItStands ? troubleOf(status)?.text : saidSentence(causeIn(reason));
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
