import type { Assets } from '../html/assets.ts';
import { htmlDocument, ownMark } from '../html/document.ts';
import { masked, timeOf, timeZoneNote } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { navigationList, shell } from '../html/shell.ts';
import { NAVIGATION, OVERVIEW_PATH, pageUrl, urlOf } from './pages.ts';
import type { PageName, PageQuestion } from './pages.ts';
import type { Notice, Once, Shown, Tab } from './view.ts';

/** What a button has left for the page that follows it. */
export interface Said {
  readonly notice?: Notice | undefined;
  readonly once?: Once | undefined;
}

/**
 * A page of the operators. It works without its script. With it, the page updates its parts from its own address.
 */
export function operationsDocument(urls: Assets['urls'], question: PageQuestion, shown: Shown, said: Said): string {
  const url = urlOf(question);
  const { title, lead, above, beside, tabs = [], content, fault } = shown;
  return htmlDocument(urls, {
    title: `${title} · Mailhook`,
    sheets: [urls['settings.css'], urls['operations.css']],
    scripts: ['operations.js', 'copy.js', 'parts.js', 'times.js'],
    body: operationsShell(
      urls,
      question.page,
      html`<main
        id="main"
        ${shown.isLive === true && html` data-live="${url}"`}
        data-shows="${fault === undefined ? 'page' : 'fault'}"
      >
        ${above !== undefined && html`<p class="crumbs"><a href="${above[0]}">${above[1]}</a></p>`}
        <div class="page-title">
          <h1>${title}</h1>
          ${beside}
          <div class="actions end">${refresh(shown, url)}</div>
        </div>
        ${lead !== undefined && html`<p class="lead">${lead}</p>`} ${tabs.length > 0 && tabsLine(tabs)}
        <div id="cut-off" role="alert"></div>
        <div id="trouble" data-part>${fault}</div>
        ${outcome(said)} ${content}
      </main>`,
    ),
  });
}

/** The frame of the pages of operators, the runbook included. */
export const operationsShell = (urls: Assets['urls'], page: PageName, main: Markup): Markup =>
  shell({
    skip: 'Skip to the content',
    brand: ownMark(urls),
    brandUrl: OVERVIEW_PATH,
    place: 'Operations',
    tools: html`<form class="search" method="get" action="${pageUrl('accounts')}" role="search">
        <label class="unseen" for="search">Find an account or a destination</label>${icon('events')}
        <input
          id="search"
          name="find"
          type="search"
          maxlength="200"
          autocomplete="off"
          placeholder="Account, id or address"
        /><kbd aria-hidden="true">/</kbd>
      </form>
      ${timeZoneNote()}<a class="button bare" href="/metrics">Metrics</a
      ><a class="button bare" href="/readyz">Readiness</a>`,
    navigationLabel: 'Operations',
    navigation: navigationList(
      NAVIGATION.map(([name, text]) => ({ url: pageUrl(name), icon: name, text, isCurrent: name === page })),
    ),
    main,
  });

/** Says since when the page shows this. The script turns it into the state of the updates, with a pause. */
const refresh = ({ asOf, isLive }: Shown, url: string): Content =>
  isLive === true &&
  html`<span class="live" id="live-state"
      ><span data-live-text>${asOf === undefined ? 'Cut off' : 'As of'}</span>
      <span id="as-of" data-part>${asOf === undefined ? html`<span data-fault></span>` : timeOf(asOf)}</span></span
    >
    <button type="button" class="button bare" id="pause" hidden>${icon('pause')}<span>Pause</span></button>
    <a class="button bare" id="refresh" href="${url}">${icon('refresh')}Refresh</a>`;

const tabsLine = (tabs: readonly Tab[]): Markup =>
  html`<nav class="tabs-line" aria-label="Parts of this page">
    <ul>
      ${tabs.map(
        ({ url, text, isCurrent }) =>
          html`<li><a href="${url}" ${isCurrent && html` aria-current="page"`}>${text}</a></li>`,
      )}
    </ul>
  </nav>`;

const outcome = ({ notice, once }: Said): Content => [
  notice !== undefined &&
    html`<div class="outcome" role="status">
      <p class="${notice.isGood ? 'good' : 'bad'}">
        <strong>${masked(notice.about)}</strong>
        ${masked(notice.text)}${notice.address !== undefined && html` <span class="address">${notice.address}</span>`}
      </p>
    </div>`,
  once !== undefined &&
    html`<div class="card once" role="status">
      <p>${once.text}</p>
      ${onceLine(once)}
    </div>`,
];

function onceLine({ secret, link }: Once): Content {
  if (link !== undefined)
    return html`<p class="actions">
      <a class="button primary" href="${link}" target="_blank" rel="noopener noreferrer">Open the settings</a>
    </p>`;
  return secret !== undefined && html`<p class="copy-line"><code id="once">${secret}</code>${copyButton('once')}</p>`;
}

/** Copies the text of another element. Only the script shows it. */
export const copyButton = (source: string): Markup =>
  html`<button type="button" class="button bare" data-copy="${source}" hidden>${icon('copy')}Copy</button>`;
