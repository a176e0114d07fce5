import { timeOf } from '../../html/elements.ts';
import { Localized, html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { instantOf, localMinute } from '../../html/zoned-time.ts';
import { texts } from '../../messages/texts.ts';
import { urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';

/** The reader's time zone in a label. The script writes it anew after another choice. */
export const readersZone = html`<span data-zone>${new Localized(({ timeZone }) => timeZone)}</span>`;

/**
 * A field of a filter, with a time in the reader's zone and in 24 hours. `time` is ISO 8601, or what was typed. The
 * fields of browsers have 12 hours where the system has.
 */
export function localTime(name: 'from' | 'to', time: string): Markup {
  const ms = Date.parse(time);
  const value: Content = Number.isNaN(ms) ? time : new Localized(({ timeZone }) => localMinute(ms, timeZone));
  return html`<input
    id="filter-${name}"
    name="${name}"
    data-time="${time}"
    value="${value}"
    placeholder="2026-01-31 16:30"
    pattern="\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d"
    maxlength="16"
    autocomplete="off"
  />`;
}

const HOUR_MS = 3_600_000;

/** Spans until now that an address may name as `from`, with the start of each. */
const SPANS = new Map<string, readonly [text: Content, start: (zone: string) => string]>([
  ['hour', [texts.charts.last1h, () => new Date(Date.now() - HOUR_MS).toISOString()]],
  ['today', [texts.charts.today, (zone) => `${localMinute(Date.now(), zone).slice(0, 10)} 00:00`]],
  ['week', [texts.charts.last7d, () => new Date(Date.now() - 7 * 24 * HOUR_MS).toISOString()]],
]);

/** The time of a list: a span until now, or two times. */
export function periodField(question: PageQuestion): Markup {
  const { from, to } = question;
  const url = (start: string): string => urlOf(question, { from: start, to: '', cursor: '' });
  const shown = (time: string): Content => (Number.isNaN(Date.parse(time)) ? '…' : timeOf(time));
  return html`<details id="period" class="menu">
    <summary class="button quiet">
      ${texts.deliveries.period}<span id="period-text" data-part
        >${(from !== '' || to !== '') && [': ', shown(from), ' – ', shown(to)]}</span
      >
    </summary>
    <div class="card">
      <ul>
        ${[...SPANS].map(([name, [text]]) => html`<li><a href="${url(name)}">${text}</a></li>`)}
        <li><a href="${url('')}">${texts.deliveries.anyTime}</a></li>
      </ul>
      <div class="field">
        <label for="filter-from">${texts.deliveries.from({ zone: readersZone })}</label>${localTime('from', from)}
      </div>
      <div class="field">
        <label for="filter-to">${texts.deliveries.to({ zone: readersZone })}</label>${localTime('to', to)}
      </div>
    </div>
  </details>`;
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
  const from = SPANS.get(question.from)?.[1](timeZone) ?? question.from;
  return { ...question, from: read(from, 'first'), to: read(question.to, 'last') };
}
