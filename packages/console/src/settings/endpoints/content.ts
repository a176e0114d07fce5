import { CAMPAIGN_FIELDS, namesOf, sumOfCounts } from '@mailhook/core';
import { notice, shortAddress } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { endpointState, worstFirst } from '../shared/destination-state.ts';
import { endpointsOf, typesText } from '../shared/endpoints.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { sparkline } from '../../page/charts.ts';
import { percentOf, showLoaded, unroutedText } from '../shared/page-parts.ts';
import { periodName } from '../shared/period.ts';
import { shapeWords } from '../shared/scope.ts';
import { endpointUrl, pathOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithDeliveries, WithHistory } from '../parts.ts';

const words = texts.endpoints;

export type EndpointsView = Frame & WithHistory & Partial<WithDeliveries>;

/** Leads to the form for a new endpoint. */
export const addButton = html`<a class="button quiet" href="${pathOf('new-endpoint')}">${icon('add')}${words.add}</a>`;

/** A list of this length or longer has a field that filters it. */
const FILTERED_FROM = 8;

/** The list, with a field that filters a long one. */
export function endpointsContent(view: EndpointsView): Markup {
  const { find } = view.question;
  const isLong = find !== '' || endpointsOf(view).length >= FILTERED_FROM;
  return html`${unroutedNotice(view)}${isLong && filterForm(find)}${endpointsTable(view)}`;
}

const filterForm = (find: string): Markup =>
  html`<form method="get" class="filter" id="filter" data-filter role="search">
    <div class="field">
      <label for="filter-find">${words.find}</label>
      <input type="search" id="filter-find" name="find" value="${find}" autocomplete="off" />
    </div>
    <button class="button quiet" id="filter-show" data-without-script>${texts.deliveries.show}</button>
  </form>`;

/** Endpoints with their state and trend. With `max`, only the worst ones. */
export const endpointsTable = (view: EndpointsView, max?: number): Markup =>
  html`<div class="card flush" id="endpoints" data-part>
    ${showLoaded(view.destinations, () => table(endpointsOf(view), view, max))}
  </div>`;

function table(all: readonly Endpoint[], view: EndpointsView, max = all.length): Markup {
  const shown = sortedBy(view, found(all, view.question.find)).slice(0, max);
  return html`<table class="table of-endpoints">
      <caption class="unseen">
        ${texts.shell.endpoints}
      </caption>
      <thead>
        <tr>
          ${head('name', texts.shell.endpoint, view.question)}
          <th scope="col" class="roomy">${words.events}</th>
          <th scope="col" class="roomy">${periodName(view)}</th>
          ${head('delivered', words.delivered, view.question, 'number')}
          ${head('waiting', words.waiting, view.question, 'number wide')}
          ${head('', words.state, view.question, 'of-state')}
        </tr>
      </thead>
      <tbody>
        ${shown.map((one) => row(one, view))}
      </tbody>
    </table>
    ${shown.length === 0 && html`<p class="empty">${texts.deliveries.nothing}</p>`}
    ${
      max < all.length &&
      html`<p class="more"><a href="${pathOf('endpoints')}">${words.all({ number: count(all.length) })}</a></p>`
    }`;
}

/** The head of a column. Its link sorts by the column, or the other way round. The list of the overview has none. */
function head(name: SortName, text: Content, question: PageQuestion, look?: string): Markup {
  const isOwn = question.sort.replace(/^-/, '') === name;
  const isReversed = question.sort.startsWith('-');
  const url = urlOf(question, { sort: isOwn && !isReversed && name !== '' ? `-${name}` : name });
  const order = name === 'waiting' || name === '' ? !isReversed : isReversed;
  return html`<th
    scope="col"
    ${look !== undefined && html`class="${look}"`}
    ${isOwn && html` aria-sort="${order ? 'descending' : 'ascending'}"`}
  >
    ${question.page === 'overview' ? text : html`<a class="sort" href="${url}">${text}</a>`}
  </th>`;
}

type SortName = '' | 'name' | 'delivered' | 'waiting';

/** What the columns sort by. Without a name, the worst first. */
function sortedBy(view: EndpointsView, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const { sort } = view.question;
  const keys: Readonly<Record<string, (one: Endpoint) => string | number>> = {
    name: ({ name, settings }) => String(html`${name} ${settings?.address}`).toLowerCase(),
    delivered: ({ id }) => shareOf(view, id) ?? 2,
    waiting: ({ status }) => -(status?.waiting ?? 0),
  };
  const key = keys[sort.replace(/^-/, '')];
  if (key === undefined) return worstFirst(endpoints);
  const sorted = endpoints.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return sort.startsWith('-') ? sorted.toReversed() : sorted;
}

/** Endpoints with the text in their name, address or types. */
function found(endpoints: readonly Endpoint[], text: string): readonly Endpoint[] {
  const wanted = text.toLowerCase();
  return endpoints.filter(({ name, settings }) =>
    [String(html`${name}`), settings?.address, ...(settings?.types ?? [])].some(
      (one) => one?.toLowerCase().includes(wanted) === true,
    ),
  );
}

/** The share of delivered attempts. Undefined without any. */
function shareOf(view: EndpointsView, id: string): number | undefined {
  const { delivered, failed } = sumOfCounts(valueOf(view.history)?.get(id) ?? []);
  return delivered + failed === 0 ? undefined : delivered / (delivered + failed);
}

function row(endpoint: Endpoint, view: EndpointsView): Markup {
  const { id, name, settings, status } = endpoint;
  const hours = valueOf(view.history)?.get(id) ?? [];
  const share = shareOf(view, id);
  return html`<tr id="endpoint-${id}">
    <th scope="row">
      <a class="whole" href="${endpointUrl(id, settings === undefined ? 'settings' : 'overview')}"
        >${name} ${settings !== undefined && shortAddress(settings.address, 'muted')}</a
      >
    </th>
    <td class="roomy">
      ${
        settings === undefined
          ? namesOf(CAMPAIGN_FIELDS).join(', ')
          : html`${typesText(settings)}<br /><span class="muted">${shapeWords(settings)}</span>`
      }
    </td>
    <td class="roomy">${hours.length > 0 && sparkline(hours)}</td>
    <td class="number">${share === undefined ? '–' : percentOf(share)}</td>
    <td class="number wide">${status === undefined || status.waiting === 0 ? '–' : count(status.waiting)}</td>
    <td>${endpointState(endpoint, view)}</td>
  </tr>`;
}

/** Events that had nowhere to go. */
export function unroutedNotice(view: EndpointsView): Markup {
  const text = unroutedText(view);
  return html`<div id="unrouted" data-part>${text !== undefined && notice('warn', text)}</div>`;
}
