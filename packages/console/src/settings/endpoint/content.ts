import { typesIn } from '@mailhook/core';
import type { DestinationStatus, EventTypeName, ShownDestination } from '@mailhook/core';
import { actionButton, factList, hidden, unseen } from '../../html/elements.ts';
import { count, listOf } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { EndpointView } from './view.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { campaignTests } from './campaign-form.ts';
import { deliveriesList, deliveryLog, liveState } from '../deliveries/content.ts';
import { endpointState } from '../shared/destination-state.ts';
import { stateNotice } from './endpoint-notice.ts';
import { replayContent } from './replay-content.ts';
import { endpointSettings } from './endpoint-settings.ts';
import { sampleEditor, TESTS } from './sample-editor.ts';
import { placeOf } from '../shared/change-address.ts';
import { endpointsOf, typesText } from '../shared/endpoints.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { campaignExample } from '../overview/examples.ts';
import { historyCharts } from '../shared/history-charts.ts';
import { periodHeader } from '../shared/period.ts';
import type { Outcome } from '../../page/outcome.ts';
import { testResults } from '../shared/page-parts.ts';
import { scopeOf, scopeView, shapeWords } from '../shared/scope.ts';
import { endpointUrl, pathOf, TABS } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { isSigned, isUnread, valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';
import type { WithHistory } from '../parts.ts';

/** The endpoint that the page shows. */
export const endpointOf = (view: Frame): Endpoint | undefined =>
  endpointsOf(view).find(({ id }) => id === view.question.endpoint);

/** Tells tabs of an endpoint apart from pages of the account with the same names. */
const ofEndpoint = unseen([' (', texts.shell.endpoint, ')']);

/** Name, state and address, and what can be done. */
export function endpointHeader(endpoint: Endpoint, view: Frame): Markup {
  const { id, name, settings } = endpoint;
  const { tab } = view.question;
  const [address, isOn] = [settings?.address, settings?.active === true];
  return html`<div class="page-title">
      <h1 id="endpoint-name" data-part>${name}</h1>
      ${endpointState(endpoint, view)}
      <div class="actions end">
        ${liveState}${
          address !== undefined &&
          html`<a class="button quiet" href="${endpointUrl(id, 'testing')}">${texts.endpoints.test}</a>
            <details class="menu" id="menu" data-part>
              <summary class="button quiet" aria-label="${texts.endpoints.moreActions}">${icon('more')}</summary>
              <ul>
                ${isOn && html`<li><a href="${endpointUrl(id, 'settings')}#danger">${texts.endpoints.pause}</a></li>`}
                <li><a href="${endpointUrl(id, 'settings')}#login">${texts.login.title}</a></li>
                <li><a href="${endpointUrl(id, 'settings')}#own-secrets">${texts.shell.secrets}</a></li>
                <li>
                  <a class="danger" href="${endpointUrl(id, 'settings')}#danger"
                    >${isOn ? texts.endpoints.switchOffOrRemove : texts.endpoints.remove}</a
                  >
                </li>
              </ul>
            </details>`
        }
      </div>
    </div>
    ${
      address !== undefined &&
      html`<p class="lead copy-line" id="endpoint-line" data-part>
        <span class="address" id="endpoint-address">${address}</span
        ><button type="button" class="button bare" data-copy="endpoint-address" hidden>
          ${icon('copy')}${unseen(texts.endpoints.copyAddress)}
        </button>
      </p>`
    }
    <nav class="tabs-line" aria-label="${texts.shell.endpoint}">
      <ul>
        ${TABS.filter(([one]) => one !== 'replay' || view.isLogOn).map(
          ([one, text]) =>
            html`<li>
              <a href="${endpointUrl(id, one)}" ${one === tab && html`aria-current="page"`}>${text}${ofEndpoint}</a>
            </li>`,
        )}
      </ul>
    </nav>`;
}

export function endpointContent(endpoint: Endpoint, view: EndpointView, outcome: Outcome | undefined): Markup {
  const { tab } = view.question;
  const { settings } = endpoint;
  if (settings === undefined) return endpointSettings(endpoint, view, outcome);
  const above = html`${stateNotice(endpoint.id, view)}${checkResults(endpoint, view, outcome)}`;
  if (tab === 'deliveries') return html`${above}${deliveriesList(view)}`;
  if (tab === 'replay') return html`${above}${replayContent(endpoint, view)}`;
  if (tab === 'testing') return html`${above}${testing(settings, outcome)}${lastTests(view)}`;
  if (tab === 'settings') return html`${above}${endpointSettings(endpoint, view, outcome)}`;
  return html`${above}${overview(endpoint, settings, view)}`;
}

/** What the check of the notice has found, where the page has no other place for it. */
function checkResults({ id }: Endpoint, { question }: EndpointView, outcome: Outcome | undefined): Markup {
  const own = outcome?.place === placeOf(id) ? outcome : undefined;
  const hasPlace = question.tab === 'testing' || (question.tab === 'settings' && id === 'campaign');
  return html`<div id="checked" data-part>
    ${!hasPlace && own?.report !== undefined && html`<div class="card">${testResults(own)}</div>`}
  </div>`;
}

/** What changes by itself on the first tab. */
export const endpointLive = (endpoint: Endpoint, view: Frame & WithHistory): Markup =>
  html`${periodHeader(view)}
  ${historyCharts(endpoint.id, view, isUnread(view.statuses) ? undefined : (endpoint.status?.waiting ?? 0))}`;

function overview(endpoint: Endpoint, settings: ShownDestination, view: EndpointView): Markup {
  return html`${endpointLive(endpoint, view)}
    <section aria-labelledby="latest">
      <header><h2 id="latest">${texts.endpoints.latest}</h2></header>
      ${deliveryLog(view)}
    </section>
    <section aria-labelledby="facts">
      <header>
        <h2 id="facts">${texts.endpoints.configuration}</h2>
        <a href="${endpointUrl(endpoint.id, 'settings')}">${texts.shell.change}</a>
      </header>
      ${facts(settings, endpoint.status, view)}
    </section>`;
}

function facts(settings: ShownDestination, status: DestinationStatus | undefined, view: EndpointView): Markup {
  const { id, version, maxRequestsPerSecond, concurrency } = settings;
  const names = Object.keys(settings.headers);
  const unlessUnread = (loaded: readonly Loaded<unknown>[], value: Content): Content =>
    loaded.some(isUnread) ? '–' : value;
  const own = valueOf(view.ownSecrets)?.has(id) === true;
  const words = texts.endpoints;
  const signedBy = own ? words.signedByOwn : words.signedByAccount;
  const filtered = status?.lastHour.filtered;
  const list: readonly (readonly [Content, Content])[] = [
    [words.scope, scopeOf(settings)],
    [words.events, typesText(settings)],
    [words.body, words.version({ version: count(version) })],
    [words.requests, shapeWords(settings)],
    ...(filtered === undefined ? [] : [[words.filtered, count(filtered)] as const]),
    [words.signing, unlessUnread([view.secrets, view.ownSecrets], isSigned(view, id) ? signedBy : words.notSigned)],
    [texts.login.title, unlessUnread([view.settings], names.length === 0 ? words.none : listOf(names))],
    [
      words.pace,
      unlessUnread(
        [view.settings],
        maxRequestsPerSecond === null ? words.noLimit : words.atMost({ requests: maxRequestsPerSecond }),
      ),
    ],
    ...(concurrency === null ? [] : [[words.inFlight, count(concurrency)] as const]),
  ];
  return factList(list);
}

/** The saved endpoint is tried. The settings of the campaign webhook try an address before it is saved. */
function testing(settings: ShownDestination, outcome: Outcome | undefined): Markup {
  const { id, module, types, address } = settings;
  const isCampaign = id === 'campaign';
  const own = outcome?.place === placeOf(id) ? outcome : undefined;
  const listed = typesIn(module, types);
  const draft = TESTS.includes(own?.draft?.['do'] ?? '') ? own?.draft : undefined;
  const chosen = listed.find((type) => type === draft?.['type']);
  return html`<section aria-labelledby="testing-title">
    <header>
      <div>
        <h2 id="testing-title">${texts.endpoints.testThis}</h2>
        <p>
          ${texts.endpoints.testLead({ deliveries: (words) => html`<a href="${pathOf('deliveries')}">${words}</a>` })}
        </p>
      </div>
    </header>
    <div class="card" id="testing" data-part>
      ${
        isCampaign &&
        html`<form method="post" class="row">${hidden('address', address)}${campaignTests('primary')}</form>`
      }
      <form method="post">
        <div class="row">${hidden('id', id)}${sampleButtons(settings, listed, chosen)}</div>
        ${sampleEditor(settings, chosen ?? listed[0], draft, own?.errors)}
      </form>
      ${testResults(own)} ${isCampaign ? campaignExample() : scopeView(`sample-${id}`, settings, { type: chosen })}
    </div>
  </section>`;
}

/** The newest tests. Each leads to its request and its reply. */
const lastTests = (view: EndpointView): Markup =>
  html`<section aria-labelledby="last-tests">
    <header><h2 id="last-tests">${texts.endpoints.lastTests}</h2></header>
    ${deliveryLog(view)}
  </section>`;

function sampleButtons(
  settings: ShownDestination,
  listed: readonly EventTypeName[],
  chosen: EventTypeName | undefined,
): Markup {
  const { id } = settings;
  const isCampaign = id === 'campaign';
  const option = (one: EventTypeName): Markup =>
    html`<option value="${one}" ${one === chosen && html`selected`}>${one}</option>`;
  return html`<select name="type" aria-label="${texts.endpoints.testType}">
      ${listed.map(option)}
    </select>
    ${actionButton({
      id: `test-${id}`,
      value: 'test-endpoint',
      text: texts.endpoints.testEvent,
      busy: texts.setup.sending,
      look: isCampaign ? 'quiet' : 'primary',
    })}
    ${
      !isCampaign &&
      actionButton({
        id: `check-${id}`,
        value: 'check-endpoint',
        text: texts.setup.check,
        busy: texts.setup.checking,
      })
    }`;
}
