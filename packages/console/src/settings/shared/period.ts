import { deliveriesQuery, rangeSpan, spanBetween } from '@mailhook/core';
import type { HistorySpan } from '@mailhook/core';
import { axisTime, hidden, timeOf } from '../../html/elements.ts';
import { Localized, html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { instantOf, localMinute } from '../../html/zoned-time.ts';
import { texts } from '../../messages/texts.ts';
import type { LiveAsk } from '../family.ts';
import type { Loaded } from '../loaded.ts';
import { PERIODS, urlOf } from '../navigation.ts';
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
    title="2026-01-31 16:30"
    maxlength="16"
    autocomplete="off"
  />`;
}

const HOUR_MS = 3_600_000;

/** A local time. */
const startOfDay = (zone: string, nowMs: number): string => `${localMinute(nowMs, zone).slice(0, 10)} 00:00`;

/** Spans until now that an address may name as `from`, with the start of each. */
const SPANS = new Map<string, readonly [text: Content, start: (zone: string) => string]>([
  ['hour', [texts.charts.last1h, () => new Date(Date.now() - HOUR_MS).toISOString()]],
  ['today', [texts.charts.today, (zone) => startOfDay(zone, Date.now())]],
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
      ${fromTo(question)}
    </div>
  </details>`;
}

const fromTo = ({ from, to }: PageQuestion): Markup =>
  html`<div class="field">
      <label for="filter-from">${texts.deliveries.from({ zone: readersZone })}</label>${localTime('from', from)}
    </div>
    <div class="field">
      <label for="filter-to">${texts.deliveries.to({ zone: readersZone })}</label>${localTime('to', to)}
    </div>`;

interface Asked {
  readonly question: PageQuestion;
  readonly timeZone: string;
  readonly nowMs: number;
}

const { from: queryTime } = deliveriesQuery.shape;

/** Whether both times of the address are such, in their order. */
function hasTimes({ from, to }: PageQuestion): boolean {
  const areTimes = [from, to].every((time) => time === '' || queryTime.safeParse(time).success);
  return areTimes && (from === '' || to === '' || Date.parse(from) <= Date.parse(to));
}

/** Reads a part of a page that depends on the times of the address. */
export const readOfTimes = async <Value>(
  { question, read }: Pick<LiveAsk, 'question' | 'read'>,
  part: () => Promise<Value>,
): Promise<Loaded<Value>> => (hasTimes(question) ? read(part) : { fault: texts.charts.noTimes, status: 422 });

/** The time that figures, charts and lists of a page show, in whole bars. */
export function periodOf({ question, timeZone, nowMs }: Asked): HistorySpan {
  const { range, from, to } = question;
  if (isOwn(question)) return spanBetween(Date.parse(from) || 0, Date.parse(to) || nowMs, nowMs);
  if (range !== 'today') return rangeSpan(range, nowMs);
  return spanBetween(instantOf(startOfDay(timeZone, nowMs), timeZone, 'first') ?? nowMs, nowMs, nowMs);
}

/** Filters of the attempts of a time. Without an end if it is not over. */
export function timesOf({ fromMs, barMs, bars }: HistorySpan, nowMs: number): Pick<PageQuestion, 'from' | 'to'> {
  const endMs = fromMs + bars * barMs;
  return { from: new Date(fromMs).toISOString(), to: endMs > nowMs ? '' : new Date(endMs).toISOString() };
}

interface ShownPeriod {
  readonly question: PageQuestion;
  readonly span: HistorySpan;
  readonly nowMs: number;
}

const isOwn = ({ from, to }: PageQuestion): boolean => from !== '' || to !== '';

/** A title of the time. */
export function periodName({ question, span, nowMs }: ShownPeriod): Content {
  if (!isOwn(question)) return question.range === 'today' ? texts.charts.today : texts.charts[`last${question.range}`];
  if (!hasTimes(question)) return texts.charts.fromTo;
  const { from, to } = span.bars === 0 ? question : timesOf(span, nowMs);
  // A time of today has no date elsewhere, which would hide how long this one is.
  const minute = (time: string): Content => [
    axisTime(Date.parse(time), 'day'),
    ' ',
    axisTime(Date.parse(time), 'minute'),
  ];
  return to === '' ? [texts.deliveries.since, ' ', minute(from)] : [minute(from), ' – ', minute(to)];
}

/** The time that the page shows, and the choice of another. */
export function periodHeader(view: ShownPeriod): Markup {
  const { question } = view;
  const { charts, deliveries } = texts;
  const current = (isCurrent: boolean): Content => isCurrent && html`aria-current="true"`;
  return html`<div class="period">
    <h2 id="charts-title" data-part>${periodName(view)}</h2>
    <nav class="ranges" aria-label="${charts.timeSpan}">
      <ul id="ranges" data-part>
        ${PERIODS.map((range) => {
          const url = urlOf(question, { range, from: '', to: '' });
          const isShown = range === question.range && !isOwn(question);
          const target = isShown ? current(true) : html`href="${url}"`;
          return html`<li><a id="range-${range}" ${target}>${charts[range]}</a></li>`;
        })}
      </ul>
      <details id="period" class="menu">
        <summary id="period-own" data-part ${current(isOwn(question))}>${charts.fromTo}</summary>
        <form method="get" class="card" data-filter>
          ${[hidden('range', ''), fromTo(question)]}
          <button class="button quiet" data-without-script>${deliveries.show}</button>
        </form>
      </details>
    </nav>
  </div>`;
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
