import type { Trend } from '@mailhook/core';
import { bytesText, formatCount, spanText } from '@mailhook/core';
import { timeOf } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';

const WIDTH = 300;
const HEIGHT = 60;
/** Minutes that become one point of a line. */
const MINUTES_PER_POINT = 2;
const MINUTE_MS = 60_000;

interface Chart {
  readonly id: string;
  readonly title: string;
  /** Undefined where nothing is known. */
  readonly valueOf: (minutes: readonly Trend[], seconds: number) => number | undefined;
  readonly text: (value: number) => string;
  /** The smallest top of the axis. */
  readonly least: number;
  readonly tone?: 'bad';
  /** Shows the unfinished minute too, because it rises only while something waits. */
  readonly isPresent?: true;
}

const perSecond = (value: number): string =>
  value >= 100 ? formatCount(Math.round(value)) : value.toFixed(1).replace(/\.0$/, '');

const totalOf = (minutes: readonly Trend[], name: 'accepted' | 'delivered'): number =>
  minutes.reduce((sum, minute) => sum + minute[name], 0);

const CHARTS: readonly Chart[] = [
  {
    id: 'accepted',
    title: 'Accepted events per second',
    valueOf: (minutes, seconds) => totalOf(minutes, 'accepted') / seconds,
    text: perSecond,
    least: 1,
  },
  {
    id: 'delivered',
    title: 'Delivered events per second',
    valueOf: (minutes, seconds) => totalOf(minutes, 'delivered') / seconds,
    text: perSecond,
    least: 1,
  },
  {
    id: 'oldest',
    title: 'Age of the oldest event',
    valueOf: (minutes) => {
      const known = minutes.filter(({ usedBytes }) => usedBytes !== undefined);
      return known.length === 0 ? undefined : Math.max(...known.map(({ oldestMs }) => oldestMs));
    },
    text: (ms) => (ms === 0 ? 'None' : spanText(ms)),
    least: 10_000,
    tone: 'bad',
    isPresent: true,
  },
  {
    id: 'memory',
    title: 'Memory of Redis',
    valueOf: (minutes) => minutes.findLast(({ usedBytes }) => usedBytes !== undefined)?.usedBytes,
    text: bytesText,
    least: 1_000_000,
  },
];

/**
 * Small charts of the last hours. `minutes` are the oldest first, and the last one has not ended. Without it, an update
 * within a minute in which nothing waits is equal to the one before. Points begin at the same minutes at any time.
 */
export function trendCharts(minutes: readonly Trend[]): Markup {
  const first = Math.floor((minutes[0]?.fromMs ?? 0) / MINUTE_MS) % MINUTES_PER_POINT;
  const whole = minutes.slice(first, -1);
  const groups = Array.from({ length: Math.ceil(whole.length / MINUTES_PER_POINT) }, (_, i) =>
    whole.slice(i * MINUTES_PER_POINT, (i + 1) * MINUTES_PER_POINT),
  );
  return html`<h2 class="unseen">The last hours</h2>
    <ul class="trends" id="trends" data-part>
      ${CHARTS.map((chart) => figure(chart, groups, minutes.slice(-1)))}
    </ul>`;
}

function figure(chart: Chart, groups: readonly (readonly Trend[])[], unfinished: readonly Trend[]): Markup {
  const { id, title, valueOf, text, least, tone, isPresent } = chart;
  const values = groups.map((group, i) => {
    const isLast = i === groups.length - 1;
    return valueOf(isPresent === true && isLast ? [...group, ...unfinished] : group, group.length * 60);
  });
  const known = values.filter((value) => value !== undefined);
  const top = topOf(Math.max(least, ...known));
  const now = known.at(-1);
  const from = groups[0]?.[0]?.fromMs ?? 0;
  const most = text(Math.max(0, ...known));
  return html`<li class="card" id="trend-${id}">
    <h3>${title}</h3>
    <p class="figure">${now === undefined ? '–' : text(now)}</p>
    <div class="plot">
      <span class="most">${text(top)}</span><span class="zero">0</span>
      <svg
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        preserveAspectRatio="none"
        role="img"
        aria-label="${title} since ${new Date(from).toISOString().slice(11, 16)} UTC: ${
          now === undefined ? 'nothing is known' : `${text(now)} now, at most ${most}`
        }"
      >
        <path class="grid" d="M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}" />
        ${line(values, top, tone)}
      </svg>
      <span class="from">${timeOf(new Date(from).toISOString())}</span><span class="to">Now</span>
    </div>
  </li>`;
}

/** The line with the area below it. It has a gap where nothing is known. */
function line(values: readonly (number | undefined)[], top: number, tone = 'accent'): Markup {
  const step = WIDTH / Math.max(1, values.length - 1);
  const runs: string[][] = [[]];
  values.forEach((value, i) => {
    if (value === undefined) runs.push([]);
    else runs.at(-1)?.push(`${(i * step).toFixed(1)} ${(HEIGHT - (value / top) * (HEIGHT - 2) - 1).toFixed(1)}`);
  });
  return html`${runs
    .filter((run) => run.length > 0)
    .map((run) => {
      const [start = ''] = (run[0] ?? '').split(' ');
      const [end = ''] = (run.at(-1) ?? '').split(' ');
      // A single point would be invisible.
      const path = `M${run.join('L')}${run.length === 1 ? 'h-3' : ''}`;
      return html`<path class="area ${tone}" d="${path}L${end} ${HEIGHT}L${start} ${HEIGHT}Z" /><path
          class="line ${tone}"
          d="${path}"
        />`;
    })}`;
}

/** A round number for the top of an axis: 1, 2 or 5 with zeros. */
function topOf(most: number): number {
  const size = 10 ** Math.floor(Math.log10(most));
  const factor = [1, 2, 5, 10].find((one) => one * size >= most) ?? 10;
  return factor * size;
}
