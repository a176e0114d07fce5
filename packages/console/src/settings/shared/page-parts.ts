import { UNROUTED_TYPES } from '@mailhook/core';
import { codeTabs } from '../../html/code-tabs.ts';
import type { Sample } from '../../html/code-tabs.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { listOf, percentage } from '../../html/formats.ts';
import { actionButton, hidden, notice, unseen } from '../../html/elements.ts';
import type { Offer, Outcome } from '../../page/outcome.ts';
import { receiverReport } from './receiver-report.ts';
import { testTraffic } from './request-reply.ts';
import type { Loaded } from '../loaded.ts';
import type { WithHistory } from '../parts.ts';

/** The live region of the page, which says what a button has done. */
export const outcomeArea = (outcome: Outcome | undefined): Markup =>
  html`<div class="outcome" role="status" data-outcome>
    ${
      outcome !== undefined &&
      outcome.text !== '' &&
      html`${said(outcome)} ${outcome.offer !== undefined && offerForm(outcome.offer)}
        <button type="button" class="button bare" data-close hidden>
          ${icon('close')}${unseen(texts.attempt.close)}
        </button>`
    }
  </div>`;

const said = (outcome: Outcome): Markup =>
  html`<p class="${toneOf(outcome)}" ${hasResults(outcome) && html`data-in-results`}>
    <strong>${outcome.text}</strong>${outcome.advice !== undefined && html` ${outcome.advice}`}
  </p>`;

function toneOf({ isGood, isWarning = false }: Outcome): 'good' | 'warn' | 'bad' {
  if (!isGood) return 'bad';
  return isWarning ? 'warn' : 'good';
}

/** The button of an offer. */
export const offerForm = ({ value, text, busy, fields }: Offer): Markup =>
  html`<form method="post" id="offer-form">
    ${Object.entries(fields).map(([name, content]) =>
      hidden(name, content),
    )}${actionButton({ id: 'offer', value, text, busy })}
  </form>`;

/** The same program in several languages. */
export const exampleTabs = (id: string, samples: readonly Sample[]): Markup =>
  codeTabs({
    id,
    legend: texts.secrets.exampleLanguage,
    samples,
    label: (name) => texts.secrets.example({ name }),
    copy: (name) => texts.secrets.copyExample({ hidden: unseen, name }),
  });

/** The script shows it while a form with `data-guard` has unsaved changes. */
export const unsavedBar = html`<div
  class="unsaved"
  id="unsaved"
  role="region"
  aria-label="${texts.shell.unsaved}"
  hidden
>
  <span>${texts.shell.unsavedText}</span
  ><button type="button" class="button quiet" id="unsaved-discard">${texts.shell.discardChanges}</button
  ><button type="button" class="button primary" id="unsaved-save">${texts.shell.saveChanges}</button>
</div>`;

const hasResults = ({ traffic, report }: Outcome): boolean => traffic !== undefined || report !== undefined;

/** What a test of a receiver has shown, at its form: the outcome, the request, the reply, the findings of a check. */
export function testResults(outcome: Outcome | undefined): Markup | false {
  if (outcome === undefined || !hasResults(outcome)) return false;
  const { traffic, report } = outcome;
  return html`<div class="results">
    <div class="outcome">${said(outcome)}</div>
    ${traffic !== undefined && testTraffic(traffic)}${report !== undefined && receiverReport(report)}
  </div>`;
}

/** Shows a loaded value, or why it could not be loaded. */
export const showLoaded = <Value>(loaded: Loaded<Value>, show: (value: Value) => Markup): Markup =>
  'value' in loaded ? show(loaded.value) : notice('bad', loaded.fault);

/**
 * The members of a list, each with an id and `data-part`. If the list could not be loaded, one member shows the reason.
 */
export const members = <Value>(id: string, loaded: Loaded<Value>, show: (value: Value) => Markup): Markup =>
  'value' in loaded
    ? show(loaded.value)
    : html`<li class="empty" id="${id}-fault" data-part data-fault>${loaded.fault}</li>`;

/** A secret or a token in the only answer that has it. */
export const shownOnce = (id: string, copyNow: Content, secret: string): Markup =>
  html`<div class="notice secret">
    <p><strong>${copyNow}</strong></p>
    <p class="copy">
      <code id="${id}">${secret}</code>
      <button type="button" class="button quiet" data-copy="${id}" hidden>${texts.secrets.copy}</button>
    </p>
  </div>`;

/** Says which events Mailhook accepted and did not keep, because no active destination takes their type. */
export function unroutedText({ unrouted }: Pick<WithHistory, 'unrouted'>): Localized | undefined {
  const counts = UNROUTED_TYPES.flatMap((type) => {
    const events = unrouted[type] ?? 0;
    if (events === 0) return [];
    return [
      type === 'campaign' ? texts.overview.campaignEvents({ events }) : texts.overview.eventsOfType({ events, type }),
    ];
  });
  return counts.length === 0 ? undefined : texts.overview.unrouted({ events: listOf(counts) });
}

/** A share such as `42 %` or `99.9 %`. Only everything reads as 100 %, and only nothing as 0 %. */
export const percentOf = (share: number): Localized => texts.overview.percent({ number: percentage(share) });

/** The title of a page with its first lines. */
export const pageHead = (title: Content, lead: Content, aside?: Content): Markup =>
  html`<div class="page-title">
      <h1>${title}</h1>
      <div class="actions end">${aside}</div>
    </div>
    <p class="lead">${lead}</p>`;

/** Hides other fields of a filter in a narrow window until it is opened. `isOpen`: if only they show what is chosen. */
export const filterToggle = (isOpen: boolean): Markup =>
  html`<details class="filter-toggle" ${isOpen && html`open`}>
    <summary class="button quiet">${texts.fields.filter}</summary>
  </details>`;

/** The title of the window. */
export const titleOf = (page: Content): Content => texts.shell.titleOfPage({ page });
