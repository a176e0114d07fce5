import { replyTimesOf, sumOfCounts, withoutTimeouts } from '@mailhook/core';
import type { DestinationHistory, HistoryBar, ReplyTimes } from '@mailhook/core';
import { axisTime, timeOf } from '../html/elements.ts';
import { count, roundTime, tookOf } from '../html/formats.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

const SPARK_HEIGHT = 20;
const STEP = 10;
const BAR = 7;
/** The height of a mark at the deadline. */
const MARK = 6;
/** The height of a chart in its own units. The page stretches it. */
const HEIGHT = 100;
/** Of the time axis, unless it has a label per day. */
const LABELS = 4;
const BARS_OF_A_DAY = 4;

const { charts } = texts;
const HOUR_MS = 3_600_000;

/** A summary of the values by the length of their bars. */
function stepsOf(barMs: number): Content {
  if (barMs < HOUR_MS) return charts.byMinutes;
  return barMs === HOUR_MS ? charts.byHour : charts.bySixHours;
}

/** Bars without words, for a row that says it beside. Their scale is round, so that an attempt changes only its bar. */
export function sparkline(bars: DestinationHistory): Markup {
  const { top } = stepOf(bars);
  return html`<svg
    class="spark"
    viewBox="0 0 ${bars.length * STEP} ${SPARK_HEIGHT}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path class="none" d="M0 ${SPARK_HEIGHT - 0.5}H${bars.length * STEP}" />
    ${bars.map((one, i) => stack(one, i, top, SPARK_HEIGHT))}
  </svg>`;
}

export const sum = (bars: DestinationHistory, of: 'events' | 'delivered' | 'failed'): number =>
  bars.reduce((total, one) => total + one[of], 0);

/** One bar of attempts, failed ones above delivered ones. A few among many take about a pixel. */
function stack(counts: Pick<HistoryBar, 'delivered' | 'failed'>, i: number, most: number, height: number): Markup {
  const scale = (attempts: number): number => (attempts === 0 ? 0 : Math.max(0.007, attempts / most) * height);
  const [good, bad] = [scale(counts.delivered), scale(counts.failed)];
  return html`${rect('good', i, height - good, good)}${rect('bad', i, height - good - bad, bad)}`;
}

const rect = (look: string, i: number, y: number, size: number): Markup | false =>
  size > 0 &&
  html`<rect
    class="${look}"
    x="${i * STEP}"
    y="${Math.max(0, y).toFixed(1)}"
    width="${BAR}"
    height="${size.toFixed(1)}"
  />`;

interface ChartedHistory {
  /** Names the charts. */
  readonly id: string;
  readonly bars: DestinationHistory;
  /** How long each is. */
  readonly barMs: number;
  readonly deadlineMs: number;
  /** Default: the last bar is the current one. */
  readonly isOver?: boolean;
  /** Where a bar leads to. */
  readonly urlOf?: (fromMs: number) => string;
}

/** Attempts and reply times, and a table with the values of both. */
export const chartPair = (charted: ChartedHistory): Markup =>
  html`<div class="pair-of-charts">${attemptsChart(charted)}${replyChart(charted)}</div>
    ${tableOf(charted)}`;

function attemptsChart(charted: ChartedHistory): Markup {
  const { id, bars, barMs, urlOf } = charted;
  const { size, lines, top } = stepOf(bars);
  const picture = bars.map((bar, i) => stack(bar, i, top, HEIGHT));
  const keys = html`<span class="key good">${charts.delivered({ delivered: sum(bars, 'delivered') })}</span>
    <span class="key bad">${charts.failed({ failed: count(sum(bars, 'failed')) })}</span>`;
  const columns = bars.map((bar, i) => {
    if (bar.delivered + bar.failed === 0) return html`<li${sideOf(i, charted)}></li>`;
    const url = urlOf?.(bar.fromMs);
    const tip = html`<span class="tip">${timeLine(bar, i, charted)} ${attemptsLines(bar)}</span>`;
    if (url === undefined) return html`<li${sideOf(i, charted)}>${tip}</li>`;
    return html`<li${sideOf(i, charted)}><a id="bar-${id}-${bar.fromMs}" href="${url}" tabindex="-1">${tip}</a></li>`;
  });
  const scale = Array.from({ length: lines + 1 }, (_, i) => count(top - i * size));
  return plot({ title: charts.attempts, keys, scale, picture, columns, bars, barMs });
}

/** The next distance of lines that is easy to read, so that at most four lines are above the axis. */
function stepOf(bars: DestinationHistory): { readonly size: number; readonly lines: number; readonly top: number } {
  const most = Math.max(...bars.map(({ delivered, failed }) => delivered + failed));
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((one) => one * power);
  const size = steps.find((one) => Number.isInteger(one) && one * 4 >= most) ?? 10 * power;
  const lines = Math.max(1, Math.ceil(most / size));
  return { size, lines, top: lines * size };
}

const whenOf = ({ fromMs }: HistoryBar): Markup => timeOf(new Date(fromMs).toISOString());

const isUnfinished = (i: number, { bars, isOver }: ChartedHistory): boolean => isOver !== true && i === bars.length - 1;

const timeLine = (bar: HistoryBar, i: number, charted: ChartedHistory): Markup =>
  html`<strong>${whenOf(bar)}${isUnfinished(i, charted) && [' ', charts.soFar]}</strong>`;

const attemptsLines = ({ delivered, failed }: HistoryBar): Markup =>
  html`<span>${texts.deliveries.delivered} ${count(delivered)}</span>
    <span>${texts.deliveries.failed} ${count(failed)}</span>`;

/** Values are shown beside their bar, towards the middle of the picture. */
function sideOf(i: number, charted: ChartedHistory): Markup {
  const looks = [i >= charted.bars.length / 2 && 'late', isUnfinished(i, charted) && 'unfinished'].filter(
    (one) => one !== false,
  );
  return html`${looks.length > 0 && html` class="${looks.join(' ')}"`}`;
}

/**
 * Times on a logarithmic scale, because replies take a millisecond or the whole deadline. Attempts without a reply are
 * marks at the deadline, and count for no line.
 */
function replyChart(charted: ChartedHistory): Markup {
  const { bars, barMs, deadlineMs } = charted;
  const decades = Math.max(1, Math.ceil(Math.log10(deadlineMs)));
  const yOf = (ms: number): number => HEIGHT * (1 - Math.min(1, Math.log10(ms) / decades));
  const replied = bars.map((bar) => withoutTimeouts(bar, deadlineMs));
  const times = replied.map(replyTimesOf);
  const line = (of: keyof ReplyTimes): Markup => {
    const path = times.map((one, i) => {
      if (one === undefined) return '';
      const isJoined = times[i - 1] !== undefined;
      return `${isJoined ? 'L' : 'M'}${i * STEP} ${yOf(one[of]).toFixed(1)}H${i * STEP + BAR}`;
    });
    return html`<path class="line ${of}" d="${path.join('')}" />`;
  };
  const total = sumOfCounts(replied);
  const all = replyTimesOf(total);
  const keys = html`${
      all !== undefined &&
      html`<span class="key line p50">${charts.half({ time: tookOf(all.p50) })}</span>
        <span class="key line p95">${charts.most({ time: tookOf(all.p95) })}</span>`
    } <span class="key line limit">${charts.deadline({ time: roundTime(deadlineMs) })}</span>${
      total.timeouts > 0 &&
      html` <span class="key bad"
        >${charts.timedOut({ timeouts: count(total.timeouts), all: count(total.delivered + total.failed) })}</span
      >`
    }`;
  const limit = yOf(deadlineMs);
  const marks = bars.map(({ timeouts }, i) => timeouts > 0 && rect('bad', i, limit - MARK / 2, MARK));
  const picture = html`<path class="line limit" d="M0 ${limit.toFixed(1)}H${bars.length * STEP}" />${line('p50')}${line(
      'p95',
    )}${marks}`;
  const columns = bars.map((bar, i) => {
    const lines = [timesLines(times[i]), timeoutsLine(bar)].filter((one) => one !== false);
    if (lines.length === 0) return html`<li${sideOf(i, charted)}></li>`;
    return html`<li${sideOf(i, charted)}><span class="tip">${timeLine(bar, i, charted)} ${lines}</span></li>`;
  });
  const scale = Array.from({ length: decades + 1 }, (_, i) => roundTime(10 ** (decades - i)));
  return plot({ title: charts.replyTime, keys, scale, picture, columns, bars, barMs });
}

const timesLines = (times: ReplyTimes | undefined): Markup | false =>
  times !== undefined &&
  html`<span>${charts.half({ time: tookOf(times.p50) })}</span>
    <span>${charts.most({ time: tookOf(times.p95) })}</span>`;

const timeoutsLine = ({ timeouts }: HistoryBar): Markup | false =>
  timeouts > 0 && html`<span>${texts.attempt.noReply} ${count(timeouts)}</span>`;

/** The values of both charts as a table. */
function tableOf({ id, bars, barMs, deadlineMs, urlOf }: ChartedHistory): Markup {
  const rows = bars.flatMap((bar) => {
    if (bar.delivered + bar.failed === 0) return [];
    const times = replyTimesOf(withoutTimeouts(bar, deadlineMs));
    const numbers = [
      count(bar.delivered),
      count(bar.failed),
      times === undefined ? '–' : tookOf(times.p50),
      times === undefined ? '–' : tookOf(times.p95),
      count(bar.timeouts),
    ];
    const url = urlOf?.(bar.fromMs);
    return html`<tr>
      <th scope="row">${url === undefined ? whenOf(bar) : html`<a href="${url}">${whenOf(bar)}</a>`}</th>
      ${numbers.map((one) => html`<td class="number">${one}</td>`)}
    </tr>`;
  });
  const { deliveries, attempt } = texts;
  const heads = [deliveries.delivered, deliveries.failed, charts.halfWithin, charts.mostWithin, attempt.noReply];
  return html`<details class="example" id="table-${id}">
    <summary>${stepsOf(barMs)}</summary>
    <div class="card flush scrolls" tabindex="0" role="region" aria-label="${stepsOf(barMs)}">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">${charts.from}</th>
            ${heads.map((one) => html`<th scope="col" class="number">${one}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
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
  readonly barMs: number;
}

/**
 * The picture is stretched, so the texts of its axes are HTML beside it. Screen readers and the keyboard get its values
 * and links from the table, which is shorter than a stop at every bar.
 */
function plot({ title, keys, scale, picture, columns, bars, barMs }: Plot): Markup {
  const width = bars.length * STEP;
  const grid = scale.map((_, i) => `M0 ${((HEIGHT * i) / (scale.length - 1)).toFixed(1)}H${width}`);
  const isOfDays = barMs > HOUR_MS;
  const every = isOfDays ? BARS_OF_A_DAY : Math.ceil(bars.length / LABELS);
  const isLabeled = (i: number): boolean => i % every === 0 && i + every / 2 <= bars.length;
  const times = bars.map(({ fromMs }, i) => {
    const isBetween = isOfDays && i % (2 * every) !== 0;
    const time = isLabeled(i) && axisTime(fromMs, isOfDays ? 'day' : 'minute');
    return html`<li${isBetween && html` class="between"`}>${time}</li>`;
  });
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
      <ol class="columns" aria-hidden="true">
        ${columns}
      </ol>
    </div>
    <ol class="times" aria-hidden="true">
      ${times}
    </ol>
  </figure>`;
}
