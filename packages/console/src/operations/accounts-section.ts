import { bytesText, formatCount, percentText, plural } from '@mailhook/core';
import type { AccountDetails, AccountRow, DestinationView, SearchResult } from '@mailhook/core';
import { badge, masked, section } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { destinationCard, maskedAddress } from './destination-cards.ts';
import type { CardContext } from './destination-cards.ts';
import { accountUrl, OVERVIEW_PATH } from './view.ts';

/** Cards of one page. Each has 2 to 3 kB, and a page stays below 100 kB. */
export const CARDS_SHOWN = 20;

export const searchForm = (text: string): Markup =>
  markup`<form class="find" method="get" action="${OVERVIEW_PATH}" role="search"><div class="field"><label for="find">Find an account or a destination</label>
<input id="find" name="find" type="search" value="${text}" maxlength="200" autocomplete="off" required placeholder="Name, id or part of an address"></div>
<button class="button quiet">Find</button></form>`;

/** The accounts nearest to their limits. */
export const accountsSection = (accounts: readonly AccountRow[]): Markup =>
  section(
    {
      id: 'accounts',
      title: 'Accounts that keep the most',
      lead: 'By their share of WAITING_MAX_EVENTS or WAITING_MAX_BYTES, whichever is larger. Deliveries and failures are those of the last 24 hours.',
    },
    accounts.length === 0
      ? markup`<p class="card empty"><strong>None</strong>No account has waiting events.</p>`
      : markup`<ul class="rows card flush">${accounts.map(accountRow)}</ul>`,
  );

function accountRow(row: AccountRow): Markup {
  return markup`<li><div><p><a href="${accountUrl(row.id)}"><strong>${row.name ?? row.id}</strong></a> <code>${row.id}</code></p>
<p class="muted">${usageText(row)}</p></div>${shareBadge(row)}</li>`;
}

const usageText = ({ events, bytes, deadLetters, delivered, failed }: AccountRow): string =>
  [
    `${plural(events, 'event', 'events')} kept`,
    bytesText(bytes),
    ...(deadLetters > 0 ? [plural(deadLetters, 'dead letter', 'dead letters')] : []),
    `${plural(delivered, 'event', 'events')} delivered`,
    plural(failed, 'failed attempt', 'failed attempts'),
  ].join(', ');

function shareBadge({ share }: AccountRow): Markup {
  if (share > 1) return badge('bad', 'over its limit');
  return badge(share >= 0.8 ? 'warn' : 'plain', `${percentText(share)} of its limit`);
}

export function accountPage(
  account: AccountDetails,
  context: CardContext,
  withoutHttps: readonly DestinationView[],
): Markup {
  const { id, name, events, bytes, limits, deadLetters, delivered, failed, destinations } = account;
  const figures: readonly (readonly [string, string, string])[] = [
    ['Events kept', formatCount(events), `${percentText(events / limits.events)} of ${formatCount(limits.events)}`],
    ['Bytes kept', bytesText(bytes), `${percentText(bytes / limits.bytes)} of ${bytesText(limits.bytes)}`],
    ['Dead letters', formatCount(deadLetters), `kept for ${context.deadLettersDays} days`],
    ['Delivered', formatCount(delivered), 'events, last 24 hours'],
    ['Failed attempts', formatCount(failed), 'last 24 hours'],
  ];
  return markup`<h2>${name ?? id} <code>${id}</code> ${shareBadge(account)}</h2>
<div id="figures" data-part><dl class="figures">${figures.map(([title, value, hint]) => markup`<div class="card"><dt>${title}</dt><dd>${value}</dd><dd class="hint">${hint}</dd></div>`)}</dl></div>
${withoutHttps.length > 0 && httpsNotice(withoutHttps)}
${destinationsSection({ id: 'destinations', title: 'Destinations', lead: 'All destinations of this account.' }, destinations, context)}`;
}

const httpsNotice = (destinations: readonly DestinationView[]): Markup =>
  markup`<p class="notice warn">${plural(destinations.length, 'address is', 'addresses are')} without https, although HTTPS_ONLY_DESTINATIONS is on. Addresses that were saved before still get their events: ${destinations.slice(0, CARDS_SHOWN).map(({ id, address }, i) => markup`${i > 0 && ', '}<code>${maskedAddress(address)}</code> (${id})`)}${destinations.length > CARDS_SHOWN && ', …'}</p>`;

export const searchPage = (
  text: string,
  { accounts, destinations, isComplete }: SearchResult,
  context: CardContext,
): Markup =>
  markup`${!isComplete && markup`<p class="notice warn">There may be more matches. Type more of the name, id or address.</p>`}
${section(
  { id: 'found-accounts', title: 'Accounts', lead: `Their id is “${masked(text)}”, or their name contains it.` },
  accounts.length === 0
    ? markup`<p class="card empty"><strong>None</strong>No account matches.</p>`
    : markup`<ul class="rows card flush">${accounts.map(
        ({ id, name }) =>
          markup`<li><p><a href="${accountUrl(id)}"><strong>${name}</strong></a> <code>${id}</code></p></li>`,
      )}</ul>`,
)}
${destinationsSection({ id: 'found-destinations', title: 'Destinations', lead: `Their id is “${masked(text)}”, or their address contains it.` }, destinations, context)}`;

function destinationsSection(
  options: { readonly id: string; readonly title: string; readonly lead: Content },
  destinations: readonly Parameters<typeof destinationCard>[0][],
  context: CardContext,
): Markup {
  const shown = destinations.slice(0, CARDS_SHOWN);
  const rest = destinations.length - shown.length;
  return section(
    options,
    markup`<div id="${options.id}-cards" data-part data-list>${
      shown.length === 0
        ? markup`<p class="card empty" id="${options.id}-none" data-part><strong>None</strong>No destination matches.</p>`
        : markup`${shown.map((view) => destinationCard(view, context))}${rest > 0 && markup`<p class="muted" id="${options.id}-rest" data-part>${plural(rest, 'further destination is', 'further destinations are')} not shown. The admin API lists all.</p>`}`
    }</div>`,
  );
}
