import { formatCount } from '@mailhook/core';
import type { DestinationView, OperatorServices } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { hasAddress } from '../account/content.ts';
import { nextLink } from '../accounts/content.ts';
import { failingReceivers, probeAll } from './failing-receivers.ts';
import { destinationTable, worstFirst } from './destination-table.ts';
import { contextOf, page } from '../family.ts';
import { DESTINATION_FILTERS, pageUrl } from '../navigation.ts';
import type { PageQuery } from '../navigation.ts';
import { ACCOUNTS_OF_ROWS, ROWS } from '../view.ts';
import type { Names } from '../view.ts';

/** Reading costs more with every destination that comes before. */
const FROM_MAX = 2000;

type Filter = (typeof DESTINATION_FILTERS)[number][0];

const filterOf = ({ state = '' }: PageQuery): Filter =>
  (DESTINATION_FILTERS.find(([name]) => name === state) ?? DESTINATION_FILTERS[0])[0];

const LEADS: Partial<Readonly<Record<Filter, string>>> = {
  '': 'The addresses that get events: those that need attention, then those of the newest accounts.',
  attention:
    'Where events wait: parked with events, paused, or an event is over a minute old. A degraded destination still ' +
    'delivers, and one that is switched off keeps no events.',
};

interface Listed {
  readonly views: readonly DestinationView[];
  readonly names: Names;
  /** Those whose failing receivers are grouped. */
  readonly failing: readonly DestinationView[];
  /** Below the list. */
  readonly more: Content;
}

export const destinationsPage = page({
  path: '/destinations',
  name: 'destinations',
  asks: ['state', 'cursor', 'from'],
  load: ({ services, question: { query } }) => ({ listed: list(services, query) }),
  actions: { 'probe-all': probeAll },
  show: ({ listed: { views, names, more, failing }, question: { query } }) => ({
    title: 'Destinations',
    lead: LEADS[filterOf(query)] ?? 'The addresses that get events, with their delivery state.',
    tabs: DESTINATION_FILTERS.map(([name, text]) => ({
      url: pageUrl('destinations', '', { state: name }),
      text,
      isCurrent: name === filterOf(query),
    })),
    content: html`${failingReceivers(failing, contextOf(names))}
    ${destinationTable('destinations', views, contextOf(names))}${more}`,
    isLive: filterOf(query) !== '',
    asOf: new Date().toISOString(),
  }),
});

async function list({ accounts, overview, lists }: OperatorServices, query: PageQuery): Promise<Listed> {
  const { cursor } = query;
  const state = filterOf(query);
  const named = async (
    views: readonly DestinationView[],
    more: Content,
    failing: readonly DestinationView[] = [],
  ): Promise<Listed> => ({
    views,
    failing,
    names: await accounts.namesOf(views.map(({ account }) => account)),
    more,
  });
  if (state === '') {
    const [{ items, nextCursor }, report] = await Promise.all([
      accounts.list({ limit: ACCOUNTS_OF_ROWS, cursor }),
      cursor === undefined ? overview(ROWS) : undefined,
    ]);
    const found = await Promise.all(items.map(({ id }) => accounts.find(id)));
    const first = report?.attention.slice(0, ROWS) ?? [];
    const others = found.flatMap(({ destinations }) => destinations);
    const rest = hasAddress(others).filter(({ id }) => !first.some((one) => one.id === id));
    return named([...first, ...worstFirst(rest)], nextLink('destinations', nextCursor));
  }
  if (state !== 'attention') {
    const { items, nextCursor } = await lists.list(state, { limit: ROWS, cursor });
    return named(items, nextLink('destinations', nextCursor, { state }), state === 'parked' ? items : []);
  }
  const from = Math.min(Number(query.from ?? '0') || 0, FROM_MAX);
  const { attention, totals } = await overview(from + ROWS);
  const views = attention.slice(from, from + ROWS);
  const all = totals.parked - totals.parkedEmpty + totals.paused + totals.late;
  const next = from + views.length;
  const url = pageUrl('destinations', '', { state, from: String(next) });
  const more =
    (from > 0 || all > next) &&
    html`<p class="more-line">
      ${formatCount(from + 1)} to ${formatCount(next)} of
      ${formatCount(all)}.${all > next && views.length > 0 && html` <a href="${url}">Next ones</a>`}
    </p>`;
  return named(views, more, attention);
}
