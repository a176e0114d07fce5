import { sumOfCounts } from '@mailhook/core';
import type { DestinationStatus } from '@mailhook/core';
import { agoOf, shortAddress, timeOf, unseen } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { CAMPAIGN_FORM, campaignForm, campaignTests } from '../endpoint/campaign-form.ts';
import { causeOf, pageTakenFor, recoveryOf, troubleOf, worstFirst } from '../shared/destination-state.ts';
import { addButton, endpointsTable } from '../endpoints/content.ts';
import { endpointsOf } from '../shared/endpoints.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { campaignExample } from './examples.ts';
import { sum } from '../../page/charts.ts';
import { historyCharts } from '../shared/history-charts.ts';
import { periodHeader, timesOf } from '../shared/period.ts';
import type { Outcome } from '../../page/outcome.ts';
import { exampleTabs, percentOf, testResults, unroutedText } from '../shared/page-parts.ts';
import { endpointUrl, pageOf, pathOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import type { Snippets } from './snippets.ts';
import type { Frame } from '../family.ts';
import { isUnread, valueOf } from '../loaded.ts';
import type { WithDeliveries, WithHistory } from '../parts.ts';

const words = texts.overview;

type OverviewView = Frame & WithHistory & WithDeliveries;

/** Endpoints of the overview. */
export const ENDPOINTS_SHOWN = 8;

/** Whether nothing but tests was ever sent: the page then leads to the first event. */
export function isFirstRun(view: OverviewView): boolean {
  const { deliveries, history, question } = view;
  const attempts = valueOf(deliveries)?.items;
  const hours = [...(valueOf(history)?.values() ?? [])].flat();
  const isRead = attempts !== undefined && valueOf(history) !== undefined && valueOf(view.destinations) !== undefined;
  if (!isRead || urlOf(question) !== pathOf('overview') || attempts.some(({ kind }) => kind !== 'test')) return false;
  return sum(hours, 'delivered') + sum(hours, 'failed') === 0;
}

export function overviewContent(view: OverviewView, outcome: Outcome | undefined, snippets: Snippets): Markup {
  const isFirst = isFirstRun(view);
  const isEmpty = isFirst && endpointsOf(view).every(({ settings }) => settings === undefined);
  return html`${
    isFirst && html`${attention(view)}${firstRun(view, outcome, snippets)}`
  }${!isFirst && overviewLive(view)}
  ${
    !isEmpty &&
    html`<section aria-labelledby="endpoints-title">
      <header>
        <h2 id="endpoints-title">${texts.shell.endpoints}</h2>
        ${addButton}
      </header>
      ${endpointsTable(view, ENDPOINTS_SHOWN)}
    </section>`
  }`;
}

/** What changes by itself. */
export const overviewLive = (view: OverviewView): Markup =>
  html`${attention(view)} ${periodHeader(view)}${figures(view)} ${historyCharts('all', view, undefined)}`;
export const firstRunLive = (view: OverviewView): Markup =>
  html`${attention(view)}${addressTitle(view)}${testStep(view)}${eventStep(view)}`;

interface Figure {
  readonly name: Content;
  readonly value: Content;
  readonly hint: Content;
  readonly url: string;
}

/** The navigation and the filters of its pages lead there too, so that the keyboard need not stop here. */
function figures(view: OverviewView): Markup {
  return html`<ul class="figures-line card flush" id="figures" data-part>
    ${figuresOf(view).map(
      ({ name, value, hint, url }) =>
        html`<li>
          <a class="whole" href="${url}" tabindex="-1">${name}</a>
          <p class="figure">${value}</p>
          <p class="hint">${hint}</p>
        </li>`,
    )}
  </ul>`;
}

/** The first two are of the time that the page shows. */
function figuresOf(view: OverviewView): readonly Figure[] {
  const bars = view.span.bars === 0 ? undefined : valueOf(view.chart);
  const { delivered, failed, events } = sumOfCounts(bars ?? []);
  const read = valueOf(view.statuses);
  const statuses = [...(read?.values() ?? [])];
  const waiting = statuses.reduce((total, one) => total + one.waiting, 0);
  const [oldest] = statuses.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).sort();
  const letters = valueOf(view.deadLetters)?.total;
  const all = delivered + failed;
  const times = timesOf(view.span, view.nowMs);
  const deliveriesUrl = (filters: Partial<PageQuestion>): string => urlOf(pageOf('deliveries'), filters);
  return [
    {
      name: words.delivered,
      value: all === 0 ? '–' : percentOf(delivered / all),
      hint: bars !== undefined && words.eventsInAttempts({ events, attempts: delivered }),
      url: deliveriesUrl({ ...times, status: 'delivered' }),
    },
    {
      name: words.failed,
      value: bars === undefined ? '–' : count(failed),
      hint: bars !== undefined && (failed === 0 ? words.noneFailed : words.ofAttempts({ attempts: all })),
      url: deliveriesUrl({ ...times, status: 'not_delivered' }),
    },
    {
      name: words.waiting,
      value: read === undefined ? '–' : count(waiting),
      hint:
        oldest === undefined
          ? waiting === 0 && read !== undefined && words.nothingWaits
          : words.oldest({ time: agoOf(oldest) }),
      url: pathOf('endpoints'),
    },
    {
      name: texts.shell.deadLetters,
      value: letters === undefined ? '–' : count(letters),
      hint: words.keptFor,
      url: pathOf('dead-letters'),
    },
  ];
}

/** One line. Its link covers it. */
interface Finding {
  readonly tone: 'bad' | 'warn' | 'good';
  readonly url: string;
  readonly link: Content;
  readonly cause?: Content;
  readonly since?: Content;
  readonly waiting?: Content;
}

/** Lines of what needs attention, beside one for the other endpoints. */
const FINDINGS_SHOWN = 4;
const PAGES_SHOWN = 2;
const RECOVERED_SHOWN = 2;

/** What needs the customer's attention, the worst first. */
function attention(view: OverviewView): Markup {
  const troubles = troublesOf(view);
  const others = othersOf(view);
  const shown = troubles.slice(0, FINDINGS_SHOWN - others.length);
  const more = troubles.length - shown.length;
  const recovered = recoveredOf(view);
  const isUnknown = [view.statuses, view.history, view.deadLetters].some(isUnread);
  const isRead = valueOf(view.statuses) !== undefined && !isUnknown && !isFirstRun(view);
  const isWell = troubles.length + others.length === 0;
  return html`<div id="attention" data-part>
    ${isWell && isRead && html`<p class="all-well">${icon('good')}<span>${words.allIsWell}</span></p>`}
    ${
      !(isWell && recovered.length === 0) &&
      html`<h2 class="unseen">${words.attention}</h2>
        <ul class="attention card flush">
          ${shown.map(findingLine)}${
            more > 0 &&
            html`<li class="others">
              <a class="whole" href="${pathOf('endpoints')}">${words.others({ more })}</a>
            </li>`
          }${others.map(findingLine)}${recovered.map(findingLine)}
        </ul>`
    }
  </div>`;
}

/** The list of endpoints leads to a good one too, so that the keyboard need not stop here. */
const findingLine = ({ tone, url, link, cause, since, waiting }: Finding): Markup =>
  html`<li class="${tone}">
    ${icon(tone)}<a class="whole" href="${url}" ${tone === 'good' && html`tabindex="-1"`}>${link}</a>
    <p>${cause}</p>
    <p class="muted">${since}</p>
    <p class="number">${waiting}</p>
  </li>`;

/** A line per endpoint. The navigation counts the same ones. */
const troublesOf = (view: OverviewView): readonly Finding[] =>
  worstFirst(endpointsOf(view)).flatMap(({ id, name, settings, status }): Finding[] => {
    const trouble = status && troubleOf(status);
    if (trouble === undefined || status === undefined) return [];
    const { oldestWaitingAt, goneAt = oldestWaitingAt } = status;
    return [
      {
        tone: trouble.tone,
        url: endpointUrl(id),
        link: linkOf({ name, settings }),
        cause: causeOf(status),
        since: goneAt !== undefined && words.since({ time: timeOf(goneAt) }),
        waiting: waitingText(status),
      },
    ];
  });

const waitingText = ({ waiting: events }: DestinationStatus): Content => events > 0 && words.wait({ events });

const linkOf = ({ name, settings }: Pick<Endpoint, 'name' | 'settings'>): Markup =>
  html`<strong>${name}</strong> ${settings !== undefined && shortAddress(settings.address)}`;

/** Endpoints that work again. They need nothing. */
const recoveredOf = (view: OverviewView): readonly Finding[] =>
  endpointsOf(view)
    .flatMap((one): Finding[] => {
      const cause = one.status && recoveryOf(one.status);
      if (cause === undefined) return [];
      const waiting = one.status !== undefined && waitingText(one.status);
      return [{ tone: 'good', url: endpointUrl(one.id), link: linkOf(one), cause, waiting }];
    })
    .slice(0, RECOVERED_SHOWN);

function othersOf(view: OverviewView): readonly Finding[] {
  const text = unroutedText(view);
  const unrouted: Finding[] = text === undefined ? [] : [{ tone: 'warn', link: text, url: pathOf('new-endpoint') }];
  const letters = valueOf(view.deadLetters)?.total ?? 0;
  const given: Finding[] =
    letters === 0 ? [] : [{ tone: 'warn', link: words.deadLetters({ letters }), url: pathOf('dead-letters') }];
  return [...pagesOf(view), ...unrouted, ...given];
}

/** Web pages that answer in place of an endpoint's server. Such attempts count as delivered. */
const pagesOf = (view: OverviewView): readonly Finding[] =>
  endpointsOf(view)
    .flatMap((one): Finding[] => {
      const page = one.status?.state === 'healthy' ? pageTakenFor(one.id, view.deliveries) : undefined;
      if (page === undefined) return [];
      return [{ tone: 'warn', url: endpointUrl(one.id), link: linkOf(one), cause: saidSentence(page.cause) }];
    })
    .slice(0, PAGES_SHOWN);

/** From the address to the first event, in three steps. A done step has a mark. */
function firstRun(view: OverviewView, outcome: Outcome | undefined, { receiver }: Snippets): Markup {
  return html`<section class="card first-run" aria-labelledby="first-title">
    <header>
      <div>
        <h2 id="first-title" tabindex="-1">${words.firstEvent}</h2>
        <p>${words.threeSteps}</p>
      </div>
    </header>
    <ol>
      <li>
        ${addressTitle(view)}
        <div class="kinds">
          <div>
            <h4>${words.campaigns}</h4>
            <p class="muted">${texts.setup.campaignLead}</p>
            ${campaignForm(view, outcome, true)}${campaignExample()}
          </div>
          <div>
            <h4>${words.messages}</h4>
            <p class="muted">${words.ofMessages}</p>
            ${addButton}
          </div>
        </div>
        <details class="example">
          <summary>${words.receiverCode}</summary>
          <p class="muted">
            ${words.noServer({ guide: (text) => html`<a href="/docs/guides/first-webhook">${text}</a>` })}
          </p>
          ${exampleTabs('receiver', receiver)}
        </details>
      </li>
      <li>
        ${testStep(view)}
        <div id="first-results" data-part>${outcome?.place === 'campaign' && testResults(outcome)}</div>
      </li>
      <li>${eventStep(view)}</li>
    </ol>
  </section>`;
}

const isReady = (view: OverviewView): boolean => endpointsOf(view).some(({ settings }) => settings !== undefined);

const isSetUp = (view: OverviewView, wanted: string): boolean =>
  endpointsOf(view).some(({ id, settings }) => id === wanted && settings !== undefined);

const addressTitle = (view: OverviewView): Markup =>
  html`<h3 id="first-address" data-part${isReady(view) && html` class="is-done"`}>
    ${words.address}${isReady(view) && unseen([' ', words.done])}
  </h3>`;

/** A step that turns green by itself. */
const step = (id: string, title: Content, state: '' | 'is-done' | 'is-failed', text: Content, more?: Content): Markup =>
  html`<div id="${id}" data-part class="${state}">
    <h3>${title}${state === 'is-done' && unseen([' ', words.done])}</h3>
    <p class="muted">${text}</p>
    ${more}
  </div>`;

/** The newest test decides. */
function testStep(view: OverviewView): Markup {
  const last = (valueOf(view.deliveries)?.items ?? []).find(({ kind }) => kind === 'test');
  const state = last === undefined ? '' : last.status === 'delivered' && !last.error ? 'is-done' : 'is-failed';
  const text = { '': words.notTested, 'is-done': words.tested, 'is-failed': words.testFailed }[state];
  const isCampaign = isSetUp(view, 'campaign');
  const tests = html`<div class="actions">
    ${campaignTests('quiet', CAMPAIGN_FORM)}${endpointsOf(view).flatMap(({ id, name }, i) =>
      id === 'campaign'
        ? []
        : html`<a class="button ${i > 1 || isCampaign ? 'quiet' : 'primary'}" href="${endpointUrl(id, 'testing')}"
            >${words.testOf({ name })}</a
          >`,
    )}
  </div>`;
  return step('step-test', words.test, state, text, tests);
}

const eventStep = (view: OverviewView): Markup =>
  step('step-event', words.event, '', isReady(view) ? words.ready : words.notReady);
