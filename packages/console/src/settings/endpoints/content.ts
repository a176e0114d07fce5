import { CAMPAIGN_FIELDS, namesOf } from '@mailhook/core';
import { notice, shortAddress } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import type { AlertsView } from './alerts-section.ts';
import { alertsSection } from './alerts-section.ts';
import { texts } from '../../messages/texts.ts';
import { endpointState, troubleOf } from '../shared/destination-state.ts';
import { endpointsOf, typesText } from '../shared/endpoints.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { sparkline, sum } from '../shared/history-charts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { percentOf, showLoaded, unroutedText } from '../shared/page-parts.ts';
import { shapeWords } from '../shared/scope.ts';
import { endpointUrl, pathOf } from '../navigation.ts';
import { newEndpoint } from './new-endpoint.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithHistory, WithStatuses } from '../parts.ts';

const words = texts.endpoints;

export type EndpointsView = Frame & WithStatuses & WithHistory;

/** Endpoints with their state and trend. Without `max`, all of them in their order; else those in trouble first. */
export const endpointsTable = (view: EndpointsView, max?: number): Markup =>
  html`<div class="card flush" id="endpoints" data-part>
    ${showLoaded(view.destinations, () => table(endpointsOf(view), view, max))}
  </div>`;

function table(all: readonly Endpoint[], view: EndpointsView, max = all.length): Markup {
  const isTroubled = ({ status }: Endpoint): boolean => status !== undefined && troubleOf(status) !== undefined;
  const sorted = max < all.length ? [...all.filter(isTroubled), ...all.filter((one) => !isTroubled(one))] : all;
  return html`<table class="table of-endpoints">
      <caption class="unseen">
        ${texts.shell.endpoints}
      </caption>
      <thead>
        <tr>
          <th scope="col">${texts.shell.endpoint}</th>
          <th scope="col" class="roomy">${words.events}</th>
          <th scope="col" class="roomy">${words.last24h}</th>
          <th scope="col" class="number">${words.delivered}</th>
          <th scope="col" class="number wide">${words.waiting}</th>
          <th scope="col" class="of-state">${words.state}</th>
        </tr>
      </thead>
      <tbody>
        ${sorted.slice(0, max).map((one) => row(one, view))}
      </tbody>
    </table>
    ${
      max < all.length &&
      html`<p class="more"><a href="${pathOf('endpoints')}">${words.all({ number: count(all.length) })}</a></p>`
    }`;
}

function row(endpoint: Endpoint, view: EndpointsView): Markup {
  const { id, name, settings, status } = endpoint;
  const hours = valueOf(view.history)?.get(id) ?? [];
  const [delivered, failed] = [sum(hours, 'delivered'), sum(hours, 'failed')];
  return html`<tr id="endpoint-${id}">
    <th scope="row">
      <a class="whole" href="${endpointUrl(id, settings === undefined ? 'settings' : 'overview')}">${name}</a>
      ${settings !== undefined && shortAddress(settings.address, 'muted')}
    </th>
    <td class="roomy">
      ${
        settings === undefined
          ? namesOf(CAMPAIGN_FIELDS).join(', ')
          : html`${typesText(settings)}<br /><span class="muted">${shapeWords(settings)}</span>`
      }
    </td>
    <td class="roomy">${hours.length > 0 && sparkline(hours, ['delivered', 'failed'])}</td>
    <td class="number">${delivered + failed === 0 ? '–' : percentOf(delivered / (delivered + failed))}</td>
    <td class="number wide">${status === undefined || status.waiting === 0 ? '–' : count(status.waiting)}</td>
    <td>${endpointState(endpoint, view)}</td>
  </tr>`;
}

/** The list, and the form for a new endpoint. */
export function endpointsContent(view: EndpointsView & AlertsView, outcome: Outcome | undefined): Markup {
  return html`${unroutedNotice(view)}${endpointsTable(view)}${newEndpoint(outcome)}${alertsSection(view, outcome)}`;
}

/** Events that had nowhere to go. */
export function unroutedNotice(view: EndpointsView): Markup {
  const text = unroutedText(view);
  return html`<div id="unrouted" data-part>${text !== undefined && notice('warn', text)}</div>`;
}
