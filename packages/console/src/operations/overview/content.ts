import { groupFailing, plural } from '@mailhook/core';
import type { DestinationView, Finding, OperationsReport, OperatorServices, Trend } from '@mailhook/core';
import { masked, section, timeOf, unseen } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { accountsTable } from '../accounts/content.ts';
import { destinationTable } from '../destinations/destination-table.ts';
import { failingReceivers } from '../destinations/failing-receivers.ts';
import { pageUrl, runbookUrl } from '../navigation.ts';
import { intakeTile, tilesOf, tileList } from './tiles.ts';
import { trendCharts } from './trends.ts';
import type { PageContext } from '../view.ts';

/** Destinations that the overview shows. The list of destinations has the others. */
const ATTENTION_SHOWN = 5;
const ACCOUNTS_SHOWN = 5;

export const headline = ({ length }: readonly Finding[]): string =>
  length === 0 ? 'Nothing is stuck' : plural(length, 'thing needs attention', 'things need attention');

export function overviewContent(report: OperationsReport, trends: readonly Trend[], context: PageContext): Markup {
  const { attention, accounts, findings } = report;
  const failing = new Set(groupFailing(attention, context.nowMs).flatMap(({ destinations }) => destinations));
  const others = attention.filter((view) => !failing.has(view));
  return html`<div id="verdict" data-part>${verdict(findings)}</div>
    <div id="figures" data-part>${tileList(tilesOf(report, context.names))}</div>
    ${failingReceivers(attention, context, ALL)}
    <div id="others" data-part>
      ${others.length > 0 && otherDestinations(others, context, failing.size === 0 && ALL)}
    </div>
    ${trendCharts(trends)}
    ${section(
      {
        id: 'accounts',
        title: 'Accounts that keep the most',
        lead: 'By their share of WAITING_MAX_EVENTS or WAITING_MAX_BYTES, whichever is larger.',
        aside: html`<a class="button quiet" href="${pageUrl('accounts')}">All accounts</a>`,
      },
      accountsTable('heaviest', accounts.slice(0, ACCOUNTS_SHOWN), 'No account has waiting events.'),
    )}`;
}

const ALL = html`<a class="button quiet" href="${pageUrl('destinations', '', { state: 'attention' })}">All of them</a>`;

/** Destinations in need of attention that are not listed under a failing receiver. */
const otherDestinations = (others: readonly DestinationView[], context: PageContext, aside: Content): Markup =>
  section(
    {
      id: 'destinations',
      title: 'Paused or late destinations',
      lead: 'Paused by a person, or with events that are over a minute old; the oldest event first.',
      aside,
    },
    destinationTable('attention', others.slice(0, ATTENTION_SHOWN), context),
  );

function verdict(findings: readonly Finding[]): Markup {
  if (findings.length === 0) return html`<p class="all-well">${icon('good')}<span>Nothing is stuck.</span></p>`;
  return html`<h2 class="unseen">${headline(findings)}</h2>
    ${findingList(findings)}`;
}

/** Findings, the worst first, each with where to look and what to do. */
const findingList = (findings: readonly Finding[]): Markup =>
  html`<ul class="attention card flush">
    ${findings.map(
      ({ tone, text, alert, href, runbook = alert }) =>
        html`<li class="${tone}">
          ${icon(tone)}
          <p>
            ${withTimes(masked(text))}
            ${runbook !== undefined && html`<a href="${runbookUrl(runbook)}">${runbookLink(alert ?? masked(text))}</a>`}
          </p>
          ${href !== undefined && html`<a class="button quiet" href="${href}">Look${unseen([': ', masked(text)])}</a>`}
        </li>`,
    )}
  </ul>`;

/** Two findings may lead to one section. */
const runbookLink = (about: string): Content => ['Runbook', unseen([': ', about])];

const TIME_IN_TEXT = /(?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d:\d\d) UTC/;

/** Times in a text become times of the page, which all have one clock. Without a date, a time is of today. */
function withTimes(text: string): Content {
  const [found, day = new Date().toISOString().slice(0, 10), time] = TIME_IN_TEXT.exec(text) ?? [];
  if (found === undefined) return text;
  const [before = '', after = ''] = text.split(found, 2);
  return [before, timeOf(`${day}T${time}Z`), after];
}

const FAULTS = {
  redis: [
    'Redis',
    'Redis cannot be reached at the moment. Accepted events are kept; this page shows more when Redis is back.',
  ],
  store: [
    'Store of accounts',
    'The store cannot be reached at the moment, so accounts cannot be found. The overview works without it.',
  ],
} as const;

/** Why a page shows nothing, and what the api knows nevertheless. */
export function faultContent(
  away: keyof typeof FAULTS,
  { intake, findings }: Awaited<ReturnType<OperatorServices['ownState']>>,
): Markup {
  const [name, text] = FAULTS[away];
  return html`<p class="notice bad">${text}</p>
    ${tileList([intakeTile(intake), { name, value: 'Does not answer', tone: 'bad' }])}
    ${findings.length > 0 && findingList(findings)}`;
}
