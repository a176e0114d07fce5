import {
  degradationOf,
  destinationHealthOf,
  endpointKey,
  EVERY_TYPE,
  formatCount,
  plural,
  typesKey,
} from '@mailhook/core';
import type { DestinationHealth, DestinationView } from '@mailhook/core';
import { maskReceiverAddress } from '@mailhook/platform/logger';
import { agoOf, badge, masked, shortAddress, timeOf, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { accountUrl, destinationUrl } from '../navigation.ts';
import type { Names, PageContext } from '../view.ts';

export const KINDS = { transactional: 'Transactional', campaign: 'Campaign' } as const;

/** An account's name with its id, as a link to its page. */
export function accountLink(account: string, names: Names): Markup {
  const name = names.get(account);
  return html`<a href="${accountUrl(account)}">${name ?? account}</a
    >${name !== undefined && html` <code>${account}</code>`}`;
}

const SHOWN_CHARS = 200;

/** A text from outside, without recipients, and not too long for the page. */
export function excerpt(text: string): string {
  const shown = masked(text);
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}…` : shown;
}

/** "Show address" and the admin API have the whole address. */
export const maskedAddress = (address: string): string => excerpt(maskReceiverAddress(address));

/** The same words as on the customer's pages. */
const HEALTH: Readonly<Record<DestinationHealth, readonly ['good' | 'bad' | 'warn' | 'plain', string]>> = {
  no_deliveries: ['plain', 'No deliveries yet'],
  healthy: ['good', 'Healthy'],
  degraded: ['warn', 'Degraded'],
  failing: ['warn', 'Failing'],
  parked: ['bad', 'Parked'],
  paused: ['warn', 'Paused'],
  off: ['plain', 'Off'],
  switched_off: ['bad', 'Switched off by Mailhook'],
};

/**
 * The state in a word, as the customer sees it. Two details differ for operators. A destination whose breaker is
 * half-open is still parked while the probe is due or in flight. Both reasons for an inactive one count as "Off",
 * because the engine does not know them apart; `inactiveReason` says more.
 */
export function stateBadge(view: DestinationView): Markup {
  const { state, breaker, undelivered, failures, lastHour, isTried } = view;
  const isProbed = breaker === 'half-open' && undelivered > 0 && (state === 'sending' || state === 'waiting');
  const held = isProbed ? 'parked' : state === 'paused' || state === 'parked' ? state : undefined;
  const health = destinationHealthOf({
    isActive: state !== 'inactive',
    isGone: false,
    held,
    failures,
    lastHour,
    isTried,
  });
  const [tone, word] = HEALTH[health];
  return badge(health === 'parked' && undelivered === 0 ? 'warn' : tone, word);
}

/** What a destination without failures in a row falls short of. */
export function shortfallOf({ state, failures, lastHour }: DestinationView): string | undefined {
  const found = degradationOf(lastHour);
  const isHeld = state === 'paused' || state === 'parked' || state === 'inactive';
  if (found === undefined || isHeld || failures > 0) return undefined;
  return found.cause === 'unconfirmed'
    ? `Confirms ${found.confirmedPercent} % of events`
    : `${found.failedPercent} % of attempts fail`;
}

/** Says what is next, because "parked" alone does not. */
export function nextOf({ state, breaker, undelivered, inFlight, parkedUntil, nextResendAt }: DestinationView): Content {
  if (state === 'paused' || state === 'inactive' || undelivered === 0) return undefined;
  if (breaker !== 'closed' && inFlight > 0) return 'One attempt is in flight';
  const next = [parkedUntil, nextResendAt].filter((time) => time !== undefined).sort()[0];
  if (next !== undefined) return timeOf(next);
  return breaker === 'half-open' ? 'The probe is due' : undefined;
}

/** Destinations, each with a link to its page. `id` names the table on its page. */
export const destinationTable = (
  id: string,
  views: readonly DestinationView[],
  context: PageContext,
  none = 'No destination matches.',
): Markup =>
  html`<div class="card flush" id="${id}-card" data-part>
    ${
      views.length === 0
        ? html`<p class="empty"><strong>None</strong>${none}</p>`
        : html`<table class="table">
            <caption class="unseen">
              Destinations
            </caption>
            <thead>
              <tr>
                <th scope="col">Destination</th>
                <th scope="col" class="number">Events</th>
                <th scope="col" class="number wide">Oldest</th>
                <th scope="col" class="wide">Next attempt</th>
                <th scope="col" class="of-state">State</th>
              </tr>
            </thead>
            <tbody>
              ${views.map((view) => row(view, context))}
            </tbody>
          </table>`
    }
  </div>`;

const TYPES_SHOWN = 3;

/** The types that it gets, in a few words. Undefined while the store is away. */
function typesOf({ id }: Pick<DestinationView, 'id'>, names: Names): string | undefined {
  const types = names.get(typesKey(id))?.split(', ');
  if (types === undefined || types.includes(EVERY_TYPE)) return types && 'all types';
  const more = types.length - TYPES_SHOWN;
  return more <= 1 ? types.join(', ') : `${types.slice(0, TYPES_SHOWN).join(', ')} and ${more} more`;
}

/** Its name, or else what it gets. */
export function titleOf(view: Pick<DestinationView, 'id' | 'kind'>, names: Names): string {
  const name = names.get(endpointKey(view.id));
  if (name !== undefined) return excerpt(name);
  const types = typesOf(view, names);
  return types === undefined ? KINDS[view.kind] : `${KINDS[view.kind]}: ${types}`;
}

const TONES = ['bad', 'warn', 'plain', 'good'] as const;

/** Sorts destinations by state: failing ones first, healthy ones last. */
export const worstFirst = (views: readonly DestinationView[]): readonly DestinationView[] =>
  TONES.flatMap((tone) => views.filter(({ health }) => HEALTH[health][0] === tone));

function row(view: DestinationView, { names, account: own }: PageContext): Markup {
  const { id, account, address, undelivered, oldestWaitingAt, failures, lastError } = view;
  const why = shortfallOf(view) ?? (failures > 0 && lastError !== undefined ? excerpt(String(lastError)) : undefined);
  return html`<tr>
    <th scope="row">
      <a class="whole" href="${destinationUrl(id)}">${titleOf(view, names)}${unseen([' ', id])}</a>
      ${why !== undefined && html`<span class="why">${why}</span>`}
      <span class="about">
        ${account !== own && html`<span>${names.get(account) ?? account}</span>`}
        ${names.has(endpointKey(id)) && html`<span>${typesOf(view, names)}</span>`}
        ${shortAddress(maskedAddress(address))} <code aria-hidden="true">${id}</code>
      </span>
    </th>
    <td class="number${undelivered === 0 && ' none'}" data-name="Events">
      ${undelivered === 0 ? '–' : formatCount(undelivered)}
    </td>
    <td class="number wide">${undelivered === 0 || oldestWaitingAt === undefined ? '–' : agoOf(oldestWaitingAt)}</td>
    <td class="wide">${nextOf(view) ?? '–'}</td>
    <td>${stateBadge(view)}</td>
  </tr>`;
}

/** How many failures in a row, as a text. */
export const failuresText = (failures: number): string => plural(failures, 'failed attempt', 'failed attempts');
