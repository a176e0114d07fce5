import { totalOfHistories } from '@mailhook/core';
import { unseen } from '../../html/elements.ts';
import { count, spanOf } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { campaignForm } from '../endpoint/campaign-form.ts';
import { troubleOf, whyOf } from '../shared/destination-state.ts';
import { endpointsTable } from '../endpoints/content.ts';
import { endpointsOf } from '../shared/endpoints.ts';
import { campaignExample } from './examples.ts';
import { historyCharts, sparkline, sum } from '../shared/history-charts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { exampleTabs, percentOf, unroutedText } from '../shared/page-parts.ts';
import { endpointUrl, pathOf } from '../navigation.ts';
import type { Snippets } from './snippets.ts';
import type { Frame } from '../family.ts';
import { isUnread, valueOf } from '../loaded.ts';
import type { WithDeliveries, WithHistory, WithStatuses } from '../parts.ts';

const words = texts.overview;

type OverviewView = Frame & WithStatuses & WithHistory & WithDeliveries;

/** Endpoints of the overview. */
export const ENDPOINTS_SHOWN = 8;

/** Whether nothing but tests was ever sent: the page then leads to the first event. */
export function isFirstRun(view: OverviewView): boolean {
  const { deliveries, history } = view;
  const attempts = valueOf(deliveries)?.items;
  const hours = [...(valueOf(history)?.values() ?? [])].flat();
  const isRead = attempts !== undefined && valueOf(history) !== undefined && valueOf(view.destinations) !== undefined;
  return (
    isRead && attempts.every(({ kind }) => kind === 'test') && sum(hours, 'delivered') + sum(hours, 'failed') === 0
  );
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
        <a class="button quiet" href="${pathOf('endpoints')}#new">${icon('add')}${words.addEndpoint}</a>
      </header>
      ${endpointsTable(view, ENDPOINTS_SHOWN)}
    </section>`
  }`;
}

/** What changes by itself. */
export const overviewLive = (view: OverviewView): Markup =>
  html`${figures(view)}${attention(view)}
  ${historyCharts('all', view, isUnread(view.statuses) ? undefined : waitingOf(view))}`;
export const firstRunLive = (view: OverviewView): Markup => html`${attention(view)}${firstSteps(view)}`;

interface Figure {
  readonly name: Content;
  readonly value: Content;
  readonly hint: Content;
  readonly picture?: Content;
  readonly url: string;
}

function figures(view: OverviewView): Markup {
  return html`<ul class="figures-line card flush" id="figures" data-part>
    ${figuresOf(view).map(
      ({ name, value, hint, picture, url }) =>
        html`<li>
          <a class="whole" href="${url}">${name}</a>
          <p class="figure">${value}</p>
          <p class="hint">${hint}</p>
          ${picture}
        </li>`,
    )}
  </ul>`;
}

function figuresOf(view: OverviewView): readonly Figure[] {
  const history = valueOf(view.history);
  const hours = totalOfHistories([...(history?.values() ?? [])]);
  const [delivered, failed, events] = [sum(hours, 'delivered'), sum(hours, 'failed'), sum(hours, 'events')];
  const read = valueOf(view.statuses);
  const statuses = [...(read?.values() ?? [])];
  const waiting = waitingOf(view);
  const [oldest] = statuses.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).sort();
  const letters = valueOf(view.deadLetters)?.total;
  const all = delivered + failed;
  return [
    {
      name: words.delivered,
      value: all === 0 ? '–' : percentOf(delivered / all),
      hint: history !== undefined && words.eventsInAttempts({ events, attempts: delivered }),
      picture: history !== undefined && sparkline(hours, ['delivered']),
      url: pathOf('deliveries'),
    },
    {
      name: words.failed,
      value: history === undefined ? '–' : count(failed),
      hint: history !== undefined && (failed === 0 ? words.noneFailed : words.ofAttempts({ attempts: all })),
      picture: history !== undefined && sparkline(hours, ['failed']),
      url: `${pathOf('deliveries')}?status=failed`,
    },
    {
      name: words.waiting,
      value: read === undefined ? '–' : count(waiting),
      hint:
        oldest === undefined
          ? waiting === 0 && read !== undefined && words.nothingWaits
          : words.oldest({ span: spanOf(view.nowMs - Date.parse(oldest)) }),
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

const waitingOf = (view: OverviewView): number =>
  [...(valueOf(view.statuses)?.values() ?? [])].reduce((total, { waiting }) => total + waiting, 0);

interface Finding {
  readonly tone: 'bad' | 'warn';
  readonly text: Content;
  readonly url: string;
  readonly link: Content;
}

/** What needs the customer's attention, the worst first. */
function attention(view: OverviewView): Markup {
  const found = findingsOf(view);
  const isUnknown = [view.statuses, view.history, view.deadLetters].some(isUnread);
  const isRead = valueOf(view.statuses) !== undefined && !isUnknown && !isFirstRun(view);
  return html`<div id="attention" data-part>
    ${
      found.length === 0
        ? isRead && html`<p class="all-well">${icon('good')}<span>${words.allIsWell}</span></p>`
        : html`<h2 class="unseen">${words.attention}</h2>
            <ul class="attention card flush">
              ${found.map(
                ({ tone, text, url, link }) =>
                  html`<li class="${tone}">
                    ${icon(tone)}
                    <p>${text}</p>
                    <a class="button quiet" href="${url}">${link}</a>
                  </li>`,
              )}
            </ul>`
    }
  </div>`;
}

function findingsOf(view: OverviewView): readonly Finding[] {
  const troubles = endpointsOf(view).flatMap(({ id, name, settings, status }): Finding[] => {
    const trouble = status && troubleOf(status);
    if (trouble === undefined || status === undefined) return [];
    const text = html`<strong>${name}</strong> <span class="address">${settings?.address}</span><br />${trouble.text}
      ${whyOf(status)}`;
    return [{ tone: trouble.tone, text, url: endpointUrl(id), link: words.open({ hidden: unseen, name }) }];
  });
  const text = unroutedText(view);
  const unrouted: Finding[] =
    text === undefined ? [] : [{ tone: 'warn', text, url: pathOf('endpoints'), link: words.addAnEndpoint }];
  const letters = valueOf(view.deadLetters)?.total ?? 0;
  const given: Finding[] =
    letters === 0
      ? []
      : [{ tone: 'warn', text: words.deadLetters({ letters }), url: pathOf('dead-letters'), link: words.review }];
  const of = (wanted: Finding['tone']): Finding[] => troubles.filter(({ tone }) => tone === wanted);
  return [...of('bad'), ...of('warn'), ...unrouted, ...given];
}

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
        <h3>${words.address}</h3>
        <p class="muted">
          ${words.isCampaign({ add: (text) => html`<a href="${pathOf('endpoints')}#new">${text}</a>` })}
        </p>
        ${campaignForm(view, outcome, true)}${campaignExample()}
      </li>
      ${firstSteps(view)}
    </ol>
    <details class="example">
      <summary>${words.receiverCode}</summary>
      <p class="muted">
        ${words.noServer({ guide: (text) => html`<a href="/docs/guides/first-webhook">${text}</a>` })}
      </p>
      ${exampleTabs('receiver', receiver)}
    </details>
  </section>`;
}

/** The steps that turn green by themselves. */
function firstSteps(view: OverviewView): Markup {
  const attempts = valueOf(view.deliveries)?.items ?? [];
  const isTested = attempts.some(({ kind, status }) => kind === 'test' && status === 'delivered');
  const isReady = endpointsOf(view).some(({ settings }) => settings !== undefined);
  const step = (id: string, title: Content, isDone: boolean, text: Content): Markup =>
    html`<li id="${id}" data-part${isDone && html` class="is-done"`}>
      <h3>${title}${isDone && unseen([' ', words.done])}</h3>
      <p class="muted">${text}</p>
    </li>`;
  return html`${step('step-test', words.test, isTested, isTested ? words.tested : words.notTested)}
  ${step('step-event', words.event, false, isReady ? words.ready : words.notReady)}`;
}
