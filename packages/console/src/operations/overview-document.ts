import { DEAD_LETTERS_KEPT_MS, formatCount, plural, spanText } from '@mailhook/core';
import type { Finding, OperationsReport, Overview } from '@mailhook/core';
import type { Assets } from '../html/assets.ts';
import { masked, section, timeOf, timeZoneNote } from '../html/elements.ts';
import { htmlDocument, ownHeader } from '../html/document.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { accountPage, accountsSection, CARDS_SHOWN, searchForm, searchPage } from './accounts-section.ts';
import { auditSection } from './audit-section.ts';
import { deadLettersSection } from './dead-letters-section.ts';
import { destinationCard } from './destination-cards.ts';
import type { CardContext } from './destination-cards.ts';
import { installationFigures, installationSection, workersSection } from './installation-section.ts';
import type { Tile } from './installation-section.ts';
import { RUNBOOK_PATH } from '../guides/guides.ts';
import { BOARD_PATH, findUrl, OVERVIEW_PATH, pageUrl, runbookUrl } from './view.ts';
import type { Names, Notice, OperationsView } from './view.ts';

const DAY_MS = 86_400_000;

/**
 * The operations overview as one HTML page, which works without its script. With it, the page updates its parts from
 * `url`, its own address without the notice.
 */
export const overviewDocument = (
  urls: Assets['urls'],
  view: OperationsView,
  url: string,
  notice: Notice | undefined,
): string =>
  htmlDocument(urls, {
    title: `${titleOf(view)} · Mailhook`,
    sheets: [urls['settings.css'], urls['operations.css']],
    scripts: ['operations.js', 'parts.js', 'times.js'],
    body: markup`<body class="operations">
<a class="skip" href="#main">Skip to the overview</a>
${ownHeader(urls, 'Operations', [
  [OVERVIEW_PATH, 'Overview', view.shows === 'overview'],
  [BOARD_PATH, 'Queues'],
  ['/metrics', 'Metrics'],
  ['/readyz', 'Readiness'],
  [RUNBOOK_PATH, 'Runbook'],
])}
<main id="main" data-live="${url}" data-shows="${view.shows}">
<div class="title"><h1>Operations</h1>
<span class="live" id="live-state" hidden></span>
${timeZoneNote()}</div>
<div id="cut-off" role="alert"></div>
${notice !== undefined && markup`<div class="outcome" role="status"><p class="${notice.isGood ? 'good' : 'bad'}"><strong>${masked(notice.about)}</strong> ${masked(notice.text)}${notice.address !== undefined && markup` <span class="address">${notice.address}</span>`}</p></div>`}
<div id="trouble" data-part>${view.shows === 'fault' && trouble(view)}</div>
${contentOf(view)}
</main>
</body>`,
  });

function titleOf(view: OperationsView): string {
  switch (view.shows) {
    case 'overview':
      return headline(view.report.findings);
    case 'account':
      return view.account.name ?? view.account.id;
    case 'search':
      return `Find ${view.text}`;
    case 'more':
      return 'Destinations that need attention';
    case 'fault':
      return 'Operations';
  }
}

const headline = ({ length }: readonly Finding[]): string =>
  length === 0 ? 'Nothing is stuck' : plural(length, 'thing needs attention', 'things need attention');

const contextOf = (names: Names, back: string, nowMs = Date.now()): CardContext => ({
  names,
  back,
  nowMs,
  deadLettersDays: DEAD_LETTERS_KEPT_MS / DAY_MS,
});

function contentOf(view: OperationsView): Markup {
  switch (view.shows) {
    case 'overview':
      return overview(view);
    case 'account': {
      const { id, name } = view.account;
      const names = new Map(name === null ? [] : [[id, name]]);
      return markup`${searchForm('')}${accountPage(view.account, contextOf(names, `account=${id}`), view.withoutHttps)}${auditSection(view.actions, names)}`;
    }
    case 'search': {
      const back = new URLSearchParams({ find: view.text }).toString();
      return markup`${searchForm(view.text)}${searchPage(view.text, view.result, contextOf(view.names, back))}`;
    }
    case 'more':
      return morePage(view);
    case 'fault':
      return searchForm('');
  }
}

function overview({ report, deadLetters, names, actions }: Extract<OperationsView, { shows: 'overview' }>): Markup {
  const context = contextOf(names, '', Date.parse(report.time));
  return markup`<div id="verdict" data-part>${verdict(report)}</div>
<div id="figures" data-part>${tiles(figuresOf(report))}
${tiles(installationFigures(report))}</div>
${searchForm('')}
${attentionSection(report, context)}
<div id="accounts-now" data-part>${accountsSection(report.accounts)}</div>
${deadLettersSection(deadLetters, report.totals.deadLetters, context)}
<div id="actions-now" data-part>${auditSection(actions, names)}</div>
<div id="workers-now" data-part>${workersSection(report)}</div>
<div id="installation-now" data-part>${installationSection(report)}</div>`;
}

const trouble = ({ fault, findings }: Extract<OperationsView, { shows: 'fault' }>): Markup =>
  markup`<p class="notice bad">${fault}</p>${findings.length > 0 && findingList(findings)}`;

function verdict({ findings, time }: OperationsReport): Markup {
  const tone = findings.length === 0 ? 'good' : findings.some((finding) => finding.tone === 'bad') ? 'bad' : 'warn';
  return markup`<div class="verdict ${tone}"><div><p><strong>${headline(findings)}.</strong></p>${findings.length > 0 && findingList(findings)}</div>
<p class="muted">As of ${timeOf(time)}. <a href="${OVERVIEW_PATH}">Refresh</a></p></div>`;
}

const findingList = (findings: readonly Finding[]): Markup =>
  markup`<ul class="findings">${findings.map(
    ({ tone, text, alert, href }) =>
      markup`<li class="${tone}">${masked(text)}${href !== undefined && markup` <a href="${href}">Look</a>`}${alert !== undefined && markup` <a href="${runbookUrl(alert)}">${alert}</a>`}</li>`,
  )}</ul>`;

const tiles = (all: readonly Tile[]): Markup =>
  markup`<dl class="figures">${all.map(
    ({ name, value, hint }) =>
      markup`<div class="card"><dt>${name}</dt><dd>${value}</dd>${hint !== undefined && markup`<dd class="hint">${hint}</dd>`}</div>`,
  )}</dl>`;

function figuresOf({ totals, oldestWaiting, time }: OperationsReport): Tile[] {
  const oldest = oldestWaiting.map(({ kind, acceptedAt, destination }): Tile => {
    if (acceptedAt === null) return { name: `Oldest ${kind} event`, value: 'none' };
    return {
      name: `Oldest ${kind} event`,
      value: spanText(Date.parse(time) - Date.parse(acceptedAt)),
      hint: destination === null ? 'in a chunk job' : markup`<a href="${findUrl(destination)}">${destination}</a>`,
    };
  });
  const empty = totals.parkedEmpty > 0 ? `and ${formatCount(totals.parkedEmpty)} without events` : undefined;
  return [
    ...oldest,
    { name: 'Events waiting', value: formatCount(totals.waiting) },
    { name: 'Resends scheduled', value: formatCount(totals.resends) },
    { name: 'Destinations parked', value: formatCount(totals.parked - totals.parkedEmpty), hint: empty },
    { name: 'Destinations paused', value: formatCount(totals.paused) },
    { name: 'Dead letters', value: formatCount(totals.deadLetters) },
  ];
}

const attentionSection = (overview: Overview, context: CardContext): Markup =>
  section(
    {
      id: 'destinations',
      title: 'Destinations that need attention',
      lead: 'Parked with events, paused by a person, or with events that are over a minute old; the oldest event first.',
    },
    markup`<div id="attention" data-part data-list>${
      overview.attention.length === 0
        ? markup`<p class="card empty" id="no-attention" data-part><strong>None</strong>Every destination takes its events.</p>`
        : attentionCards(overview, 0, context)
    }</div>`,
  );

/** A part of the destinations that need attention, with a link to the next part. */
function attentionCards({ attention, totals }: Overview, from: number, context: CardContext): Markup {
  const all = totals.parked - totals.parkedEmpty + totals.paused + totals.late;
  const shown = attention.slice(from, from + CARDS_SHOWN);
  const next = from + shown.length;
  return markup`${shown.map((view) => destinationCard(view, context))}${
    (from > 0 || all > next) &&
    markup`<p id="attention-range" data-part>${formatCount(from + 1)} to ${formatCount(next)} of ${formatCount(all)}.${all > next && shown.length > 0 && markup` <a href="${pageUrl({ from: String(next) })}">Next ones</a>`}</p>`
  }`;
}

function morePage({ overview, from, names }: Extract<OperationsView, { shows: 'more' }>): Markup {
  const context = contextOf(names, `from=${from}`, Date.parse(overview.time));
  return markup`${searchForm('')}<h2>Destinations that need attention</h2><div id="attention" data-part data-list>${attentionCards(overview, from, context)}</div>`;
}
