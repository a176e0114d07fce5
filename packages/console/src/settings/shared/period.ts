import { Localized, html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { instantOf, localMinute } from '../../html/zoned-time.ts';
import type { PageQuestion } from '../navigation.ts';

/** The reader's time zone in a label. The script writes it anew after another choice. */
export const readersZone = html`<span data-zone>${new Localized(({ timeZone }) => timeZone)}</span>`;

/** A field of a filter, with a time in the reader's zone. `time` is ISO 8601, or what was typed. */
export function localTime(name: 'from' | 'to', time: string): Markup {
  const ms = Date.parse(time);
  const value: Content = Number.isNaN(ms) ? time : new Localized(({ timeZone }) => localMinute(ms, timeZone));
  return html`<input type="datetime-local" id="filter-${name}" name="${name}" data-time="${time}" value="${value}" />`;
}

/**
 * A question whose times are ISO 8601. Those of a form are in the reader's zone. In the hour that a change of the clock
 * repeats, a span begins at the first and ends at the second of two such times, so it leaves nothing out.
 */
export function inUtc(question: PageQuestion, timeZone: string): PageQuestion {
  const read = (local: string, which: 'first' | 'last'): string => {
    const ms = instantOf(local, timeZone, which);
    return ms === undefined ? local : new Date(ms).toISOString();
  };
  return { ...question, from: read(question.from, 'first'), to: read(question.to, 'last') };
}
