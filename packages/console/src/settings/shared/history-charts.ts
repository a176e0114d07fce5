import { HISTORY_RANGES, replyTimesOf, sumOfCounts } from '@mailhook/core';
import type { DestinationHistory, HistoryBar, HistoryRange, ReplyTimes } from '@mailhook/core';
import { axisTime, timeOf } from '../../html/elements.ts';
import { count, tookOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { pageOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithHistory } from '../parts.ts';

const SPARK_HEIGHT = 20;
const STEP = 10;
const BAR = 7;
/** The height of a chart in its own units. The page stretches it. */
const HEIGHT = 100;

const { charts } = texts;
const RANGES = Object.keys(HISTORY_RANGES) as HistoryRange[];
/** Bars per label of the time axis. */
const LABEL_EVERY: Readonly<Record<HistoryRange, number>> = { '1h': 3, '24h': 6, '7d': 4 };

/** Bars without words, for a row that says it beside. */
export function sparkline(bars: DestinationHistory): Markup {
  const most = Math.max(1, ...bars.map(({ delivered, failed }) => delivered + failed));
  return html`<svg
    class="spark"
    viewBox="0 0 ${bars.length * STEP} ${SPARK_HEIGHT}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path class="none" d="M0 ${SPARK_HEIGHT - 0.5}H${bars.length * STEP}" />
    ${bars.map((one, i) => stack(one, i, most, SPARK_HEIGHT))}
  </svg>`;
}

export const sum = (bars: DestinationHistory, of: 'events' | 'delivered' | 'failed'): number =>
  bars.reduce((total, one) => total + one[of], 0);

/** One bar of attempts, failed ones above delivered ones. Even a few among many are visible. */
function stack(counts: Pick<HistoryBar, 'delivered' | 'failed'>, i: number, most: number, height: number): Markup {
  const scale = (attempts: number): number => (attempts === 0 ? 0 : Math.max(0.03, attempts / most) * height);
  const [good, bad] = [scale(counts.delivered), scale(counts.failed)];
  const rect = (look: string, y: number, size: number): Markup | false =>
    size > 0 &&
    html`<rect
      class="${look}"
      x="${i * STEP}"
      y="${Math.max(0, y).toFixed(1)}"
      width="${BAR}"
      height="${size.toFixed(1)}"
    />`;
  return html`${rect('good', height - good, good)}${rect('bad', height - good - bad, bad)}`;
}

/**
 * Attempts and reply times of the range that the page asks for. A bar leads to its deliveries. `id` names the charts.
 * `waiting`: events that wait. Undefined if this could not be read, or stands elsewhere.
 */
export function historyCharts(
  id: string,
  view: Pick<Frame, 'question'> & Pick<WithHistory, 'chart' | 'deadlineMs'>,
  waiting: number | undefined,
  header: Content = periodHeader(view.question),
): Markup {
  const { chart, question, deadlineMs } = view;
  const bars = valueOf(chart);
  if (bars === undefined) return html`<section class="charts" id="history-${id}" data-part></section>`;
  const total = sumOfCounts(bars);
  const isEmpty = total.delivered + total.failed === 0;
  return html`<section class="charts" id="history-${id}" aria-labelledby="charts-title" data-part>
    ${header}${
      isEmpty
        ? html`<p class="card muted">${charts.nothingSent}</p>`
        : html`<div class="pair-of-charts">
            ${attemptsChart(id, bars, question)}${replyChart(bars, question.range, deadlineMs)}
          </div>`
    }
    ${waiting !== undefined && html`<p class="hint">${charts.total({ delivered: total.events, waiting })}</p>`}
  </section>`;
}

/** The time that the charts show, and the choice of another. */
export const periodHeader = (question: PageQuestion): Markup =>
  html`<header>
    <h2 id="charts-title">${charts[`last${question.range}`]}</h2>
    ${rangeTabs(question)}
  </header>`;

const rangeTabs = (question: PageQuestion): Markup =>
  html`<nav class="ranges" aria-label="${charts.timeSpan}">
    <ul>
      ${RANGES.map(
        (range) =>
          html`<li>
            <a
              id="range-${range}"
              href="${urlOf(question, { range })}"
              ${range === question.range && html`aria-current="true"`}
              >${charts[range]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;

function attemptsChart(id: string, bars: DestinationHistory, question: PageQuestion): Markup {
  const top = roundUp(Math.max(...bars.map(({ delivered, failed }) => delivered + failed)));
  const picture = bars.map((bar, i) => stack(bar, i, top, HEIGHT));
  const keys = html`<span class="key good">${charts.delivered({ delivered: sum(bars, 'delivered') })}</span>
    <span class="key bad">${charts.failed({ failed: count(sum(bars, 'failed')) })}</span>`;
  const columns = bars.map((bar, i) => {
    if (bar.delivered + bar.failed === 0) return html`<li></li>`;
    const url = deliveriesOf(question, bar.fromMs);
    const tip = html`<span class="tip">${valuesOf(bar)}</span>`;
    return html`<li${sideOf(i, bars)}><a id="bar-${id}-${bar.fromMs}" href="${url}">${tip}</a></li>`;
  });
  const scale = [top, top / 2, 0].map(count);
  return plot({ title: charts.attempts, keys, scale, picture, columns, bars, range: question.range });
}

/** The deliveries of a bar, in the list of the endpoint or of all. */
function deliveriesOf({ endpoint, range }: PageQuestion, fromMs: number): string {
  const toMs = fromMs + HISTORY_RANGES[range].barMs;
  const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  return urlOf(endpoint === '' ? pageOf('deliveries') : pageOf('endpoints', endpoint, 'deliveries'), span);
}

function valuesOf(bar: HistoryBar): Markup {
  const times = replyTimesOf(bar);
  const time = timeOf(new Date(bar.fromMs).toISOString());
  return html`${charts.bar({ time, delivered: bar.delivered, failed: count(bar.failed) })}
  ${times !== undefined && charts.replies({ p50: tookOf(times.p50), p95: tookOf(times.p95) })}`;
}

/** Values are shown in the half of the picture that their bar is not in. */
const sideOf = (i: number, bars: DestinationHistory): Markup | false => i >= bars.length / 2 && html` class="late"`;

/** Times on a logarithmic scale, because replies take a millisecond or the whole deadline. */
function replyChart(bars: DestinationHistory, range: HistoryRange, deadlineMs: number): Markup {
  const decades = Math.max(1, Math.ceil(Math.log10(deadlineMs)));
  const yOf = (ms: number): string => (HEIGHT * (1 - Math.min(1, Math.log10(ms) / decades))).toFixed(1);
  const times = bars.map(replyTimesOf);
  const line = (of: keyof ReplyTimes): Markup => {
    const path = times.map((one, i) => {
      if (one === undefined) return '';
      const isJoined = times[i - 1] !== undefined;
      return `${isJoined ? 'L' : 'M'}${i * STEP} ${yOf(one[of])}H${i * STEP + BAR}`;
    });
    return html`<path class="line ${of}" d="${path.join('')}" />`;
  };
  const total = replyTimesOf(sumOfCounts(bars));
  const keys = html`<span class="key line p50"
      >${charts.half({ time: total === undefined ? '–' : tookOf(total.p50) })}</span
    >
    <span class="key line p95">${charts.most({ time: total === undefined ? '–' : tookOf(total.p95) })}</span>
    <span class="key line limit">${charts.deadline({ time: roundTime(deadlineMs) })}</span>`;
  const picture = html`<path
      class="line limit"
      d="M0 ${yOf(deadlineMs)}H${bars.length * STEP}"
    />${line('p50')}${line('p95')}`;
  const columns = bars.map((bar, i) =>
    times[i] === undefined
      ? html`<li></li>`
      : html`<li${sideOf(i, bars)}><span class="tip">${valuesOf(bar)}</span></li>`,
  );
  const scale = Array.from({ length: decades + 1 }, (_, i) => roundTime(10 ** (decades - i)));
  return plot({ title: charts.replyTime, keys, scale, picture, columns, bars, range });
}

interface Plot {
  readonly title: Content;
  readonly keys: Markup;
  /** Labels at equal distances, the highest first. */
  readonly scale: readonly Content[];
  readonly picture: Markup | readonly Markup[];
  /** One per bar, with its values. */
  readonly columns: readonly Markup[];
  readonly bars: DestinationHistory;
  readonly range: HistoryRange;
}

/** The picture is stretched, so the texts of its axes are HTML beside it. */
function plot({ title, keys, scale, picture, columns, bars, range }: Plot): Markup {
  const width = bars.length * STEP;
  const grid = scale.map((_, i) => `M0 ${((HEIGHT * i) / (scale.length - 1)).toFixed(1)}H${width}`);
  const labeled = bars.filter((_, i) => i % LABEL_EVERY[range] === 0);
  return html`<figure class="chart card">
    <figcaption>
      <h3>${title}</h3>
      ${keys}
    </figcaption>
    <ol class="scale" aria-hidden="true">
      ${scale.map((text) => html`<li>${text}</li>`)}
    </ol>
    <div class="area">
      <svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        <path class="none" d="${grid.join('')}" />
        ${picture}
      </svg>
      <ol class="columns" aria-label="${title}">
        ${columns}
      </ol>
    </div>
    <ol class="times" aria-hidden="true">
      ${labeled.map(({ fromMs }) => html`<li>${axisTime(fromMs, range === '7d' ? 'day' : 'minute')}</li>`)}
    </ol>
  </figure>`;
}

/** A time without a fraction, if it has none. */
const roundTime = (ms: number): Content => (ms < 1000 ? [count(ms), ' ms'] : [count(ms / 1000), ' s']);

/** The next number with a whole half that is easy to read. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.max(2, [1, 2, 4, 6, 8, 10].map((step) => step * power).find((one) => one >= value) ?? value);
}
