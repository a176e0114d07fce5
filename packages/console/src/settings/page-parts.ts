import { plural } from '@mailhook/core';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';
import type { UnroutedType } from '@mailhook/core';
import { actionButton, hidden, masked, notice } from '../html/elements.ts';
import type { Offer, Outcome } from './outcome.ts';
import { receiverReport } from './receiver-report.ts';
import { testTraffic } from './request-reply.ts';
import type { LiveView, Loaded } from './view.ts';

/** The live region of the page, which says what a button has done. */
export const outcomeArea = (outcome: Outcome | undefined): Markup =>
  markup`<div class="outcome" role="status" data-outcome>${
    outcome !== undefined &&
    outcome.text !== '' &&
    markup`<p class="${outcome.isGood ? 'good' : 'bad'}"><strong>${outcome.text}</strong>${
      outcome.advice !== undefined && markup` ${outcome.advice}`
    }${outcome.note !== undefined && markup` <small class="muted">${masked(outcome.note)}</small>`}</p>${outcome.offer !== undefined && offerForm(outcome.offer)}`
  }</div>`;

const offerForm = ({ value, text, busy, fields, about, isBrief }: Offer): Markup =>
  markup`<form method="post" id="offer-form"${about !== undefined && markup` data-about="${about}"`}${isBrief === true && markup` data-brief`}>${Object.entries(fields).map(([name, content]) => hidden(name, content))}${actionButton({ id: 'offer', value, text, busy })}</form>`;

/** The script shows it while a form with `data-guard` has unsaved changes. */
export const unsavedBar = markup`<div class="unsaved" id="unsaved" role="region" aria-label="${texts.shell.unsaved}" hidden>
<span>${texts.shell.unsavedText}</span><button type="button" class="button quiet" id="unsaved-discard">${texts.shell.discardChanges}</button><button type="button" class="button primary" id="unsaved-save">${texts.shell.saveChanges}</button></div>`;

/** What a test of a receiver has shown: the request, the reply, and the findings of a check. */
export const testResults = (outcome: Outcome | undefined): Markup =>
  markup`${outcome?.traffic !== undefined && testTraffic(outcome.traffic)}${outcome?.report !== undefined && receiverReport(outcome.report)}`;

/** Shows a loaded value, or why it could not be loaded. */
export const showLoaded = <Value>(loaded: Loaded<Value>, show: (value: Value) => Markup): Markup =>
  'value' in loaded ? show(loaded.value) : notice('bad', loaded.fault);

/**
 * The members of a list, each with an id and `data-part`. If the list could not be loaded, one member shows the reason.
 */
export const members = <Value>(id: string, loaded: Loaded<Value>, show: (value: Value) => Markup): Markup =>
  'value' in loaded
    ? show(loaded.value)
    : markup`<li class="empty" id="${id}-fault" data-part data-fault>${loaded.fault}</li>`;

/** Says how many events Mailhook accepted and did not keep, because no active destination takes their type. */
export function unroutedText({ unrouted }: Pick<LiveView, 'unrouted'>, types: readonly UnroutedType[]): string {
  const counts = types.flatMap((type) => {
    const events = unrouted[type] ?? 0;
    return events === 0 ? [] : [plural(events, `${type} event`, `${type} events`)];
  });
  const was = counts.length === 1 && counts[0]?.startsWith('1 ') === true ? 'was' : 'were';
  return counts.length === 0
    ? ''
    : `In the last 24 hours, ${new Intl.ListFormat('en').format(counts)} had no active destination and ${was} not kept.`;
}
