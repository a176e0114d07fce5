import { plural } from '@mailhook/core';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { UnroutedType } from '@mailhook/core';
import { masked, notice } from '../html/elements.ts';
import type { Outcome, OutcomePlace } from './outcome.ts';
import type { LiveView, Loaded } from './view.ts';

/** The live region of a place. It shows an outcome for this place. One region of the page has `role="status"`. */
export function outcomeArea(place: OutcomePlace, outcome: Outcome | undefined, isStatus = false): Markup {
  const own = outcome?.place === place ? outcome : undefined;
  const role = isStatus ? markup`role="status"` : markup`aria-live="polite"`;
  return markup`<div class="outcome" ${role} data-outcome>${
    own !== undefined &&
    markup`<p class="${own.isGood ? 'good' : 'bad'}"><strong>${masked(own.text)}</strong>${
      own.advice !== undefined && markup` ${own.advice}`
    }</p>`
  }</div>`;
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
    : markup`<li class="empty" id="${id}-fault" data-part data-fault>${loaded.fault}</li>`;

/**
 * Events that Mailhook accepted and did not keep, because no active destination takes their type. `id`: of the part.
 */
export function unroutedHint(id: string, { unrouted }: LiveView, types: readonly UnroutedType[]): Markup {
  const counts = types.flatMap((type) => {
    const events = unrouted[type] ?? 0;
    return events === 0 ? [] : [plural(events, `${type} event`, `${type} events`)];
  });
  const text = `In the last 24 hours, ${new Intl.ListFormat('en').format(counts)} had no active destination and ${counts.length === 1 && counts[0]?.startsWith('1 ') === true ? 'was' : 'were'} not kept.`;
  return markup`<div id="unrouted-${id}" data-part>${counts.length > 0 && markup`<p class="hint">${text}</p>`}</div>`;
}
