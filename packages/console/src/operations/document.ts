import { LIVE_SCRIPTS } from '../html/assets.ts';
import type { Assets } from '../html/assets.ts';
import { htmlDocument, ownMark } from '../html/document.ts';
import { axisTime, timeZoneNote } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { navigationList, shell } from '../html/shell.ts';
import { texts } from '../messages/texts.ts';
import type { Outcome } from '../page/outcome.ts';
import { dialogArea } from '../page/dialog.ts';
import { scriptTexts } from '../page/script-texts.ts';
import { NAVIGATION, OVERVIEW_PATH, pageUrl, urlOf } from './navigation.ts';
import type { PageName, PageQuestion } from './navigation.ts';
import type { Shown, Tab } from './view.ts';

/**
 * A page of the operators. It works without its script. With it, the page updates its parts from its own address.
 */
export function operationsDocument(
  urls: Assets['urls'],
  question: PageQuestion,
  shown: Shown,
  outcome: Outcome | undefined,
): string {
  const url = urlOf(question);
  const { title, lead, above, beside, tabs = [], content, fault } = shown;
  const live = html` data-news="${url}" data-is-news data-cut-off="${CUT_OFF}"`;
  return htmlDocument(urls, {
    title: `${title} · Mailhook`,
    sheets: [urls['settings.css'], urls['operations.css']],
    scripts: LIVE_SCRIPTS,
    body: operationsShell(
      urls,
      question.page,
      html`<main
        id="main"
        data-signed-in
        data-page="${urlOf({ ...question, query: { tab: question.query.tab ?? '' } })}"
        ${shown.isLive === true && live}
        ${scriptTexts(texts.script.ended)}
      >
        ${
          above !== undefined &&
          html`<p class="crumbs">
            <a href="${above[0]}"><span aria-hidden="true">‹ </span>${above[1]}</a>
          </p>`
        }
        <div class="page-title">
          <h1>${title}</h1>
          ${beside}
          <div class="actions end">${refresh(shown, url)}</div>
        </div>
        ${lead !== undefined && html`<p class="lead">${lead}</p>`} ${tabs.length > 0 && tabsLine(tabs)}
        <div id="page-notice" aria-live="assertive"></div>
        <div id="cut-off" role="alert"></div>
        <div id="trouble" data-part data-banner>${fault}</div>
        <div role="status" data-outcome>
          ${outcome !== undefined && outcome.dialog === undefined && outcomeOf(outcome)}
        </div>
        ${dialogArea(outcome?.dialog)} ${content} ${preferences}
      </main>`,
    ),
  });
}

/** Below the content of every page. */
export const preferences = html`<footer class="preferences">${timeZoneNote()}</footer>`;

/** What stands before the time of the last update, and after it. */
const CUT_OFF = 'Cut off: this page cannot be updated. The figures below are as of ';

/** The frame of the pages of operators, the runbook included. */
export const operationsShell = (urls: Assets['urls'], page: PageName, main: Markup): Markup =>
  shell({
    skip: 'Skip to the content',
    brand: ownMark(urls),
    brandUrl: OVERVIEW_PATH,
    place: 'Operations',
    tools: html`<form class="search" method="get" action="${pageUrl('accounts')}" data-plain role="search">
        <label class="unseen" for="search">Find an account or a destination</label>${icon('events')}
        <input
          id="search"
          name="find"
          type="search"
          maxlength="200"
          autocomplete="off"
          placeholder="Name, id or address"
        /><kbd aria-hidden="true">/</kbd>
      </form>
      <a class="button bare" href="/metrics">Metrics</a><a class="button bare" href="/readyz">Readiness</a>`,
    navigationLabel: 'Operations',
    navigation: navigationList(
      NAVIGATION.map(([name, text]) => ({ url: pageUrl(name), icon: name, text, isCurrent: name === page })),
    ),
    main,
  });

const MINUTE_MS = 60_000;

/**
 * Says since when the page shows this. The script turns it into the state of the updates, with a pause. Only the script
 * shows seconds, because an update would otherwise never be equal to the one before.
 */
function refresh({ asOf, isLive }: Shown, url: string): Content {
  if (isLive !== true) return false;
  const [on, cut, paused] = ['Live', 'Cut off', 'Updates paused'].map((word) =>
    asOf === undefined ? word : `${word}, as of`,
  );
  return html`<span class="live" id="live-state" data-on="${on}" data-cut="${cut}" data-paused="${paused}"
      ><span data-live-text>${asOf === undefined ? 'Cut off' : 'As of'}</span>
      <span id="as-of"
        >${asOf !== undefined && axisTime(Math.floor(Date.parse(asOf) / MINUTE_MS) * MINUTE_MS, 'minute')}</span
      ></span
    >
    <button type="button" class="button bare" id="pause" hidden>${icon('pause')}<span>Pause updates</span></button>
    <a class="button bare" id="refresh" href="${url}">${icon('refresh')}Refresh</a>`;
}

const tabsLine = (tabs: readonly Tab[]): Markup =>
  html`<nav class="tabs-line" aria-label="Parts of this page">
    <ul>
      ${tabs.map(
        ({ url, text, isCurrent }) =>
          html`<li><a href="${url}" ${isCurrent && html`aria-current="page"`}>${text}</a></li>`,
      )}
    </ul>
  </nav>`;

/** What a button has done. A token or a link is in this answer only. */
function outcomeOf({ isGood, text, advice, secret, link }: Outcome): Markup {
  if (secret === undefined && link === undefined)
    return html`<div class="outcome">
      <p class="${isGood ? 'good' : 'bad'}"><strong>${text}</strong> ${advice}</p>
    </div>`;
  return html`<div class="card once">
    <p>${advice}</p>
    ${
      link === undefined
        ? html`<p class="copy-line"><code id="once">${secret}</code>${copyButton('once')}</p>`
        : html`<p class="actions">
            <a class="button primary" href="${link}" target="_blank" rel="noopener noreferrer">Open the settings</a>
          </p>`
    }
  </div>`;
}

/** Copies the text of another element. Only the script shows it. */
export const copyButton = (source: string): Markup =>
  html`<button type="button" class="button bare" data-copy="${source}" hidden>${icon('copy')}Copy</button>`;
