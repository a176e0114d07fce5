import { CAMPAIGN_FIELDS, namesOf } from '@mailhook/core';
import { masked, notice } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import type { AlertsView } from './alerts-section.ts';
import { alertsSection } from './alerts-section.ts';
import { texts } from '../../messages/texts.ts';
import { endpointState, worstFirst } from '../shared/destination-state.ts';
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
import type { WithHistory } from '../parts.ts';

const words = texts.endpoints;

export type EndpointsView = Frame & WithHistory;

/** Endpoints with their state and trend, the worst first. Without `max`, all of them. */
export const endpointsTable = (view: EndpointsView, max?: number): Markup =>
  html`<div class="card flush" id="endpoints" data-part>
    ${showLoaded(view.destinations, () => table(endpointsOf(view), view, max))}
  </div>`;

function table(all: readonly Endpoint[], view: EndpointsView, max = all.length): Markup {
  return html`<table class="table of-endpoints">
      <caption class="unseen">
        ${texts.shell.endpoints}
      </caption>
      <thead>
        <tr>
          <th scope="col">${texts.shell.endpoint}</th>
          <th scope="col" class="roomy">${words.events}</th>
          <th scope="col" class="roomy">${texts.charts[`last${view.question.range}`]}</th>
          <th scope="col" class="number">${words.delivered}</th>
          <th scope="col" class="number wide">${words.waiting}</th>
          <th scope="col" class="of-state">${words.state}</th>
        </tr>
      </thead>
      <tbody>
        ${worstFirst(all)
          .slice(0, max)
          .map((one) => row(one, view))}
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
      <a class="whole" href="${endpointUrl(id, settings === undefined ? 'settings' : 'overview')}"
        >${name}${settings !== undefined && html` <span class="address muted">${masked(settings.address)}</span>`}</a
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
