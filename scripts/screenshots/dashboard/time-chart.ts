import type { TimeRange } from '../../monitoring/prometheus.ts';
import type { FilledPanel, Line } from './evaluate.ts';
import { escapeHtml } from './escape.ts';
import type { Scale } from './scale.ts';
import { scaleOf } from './scale.ts';
import { formatValue } from './units.ts';

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const PALETTE = [
  ...['#3d7d2d', '#c98d00', '#2a8fb5', '#c4561a', '#b32d3a', '#1f5fa8', '#9c3b93', '#5b4b9a'],
  ...['#7ea36a', '#8a6a1f', '#3f6f7f', '#d98a5f', '#d4707a', '#6f9fd0'],
];
const LEGEND_LINE = 16;
const LEGEND_LETTER = 6.1;
const LEGEND_MARK = 30;
const AXIS_LETTER = 5.9;
const FOOT = 18;
const HEAD = 8;
/** Two values that are more than this many steps apart have a gap between them. */
const GAP_STEPS = 1.5;

/** Draws lines over time with their axes, and the legend below. */
export function timeChart({ panel, lines }: FilledPanel, { width, height }: Size, range: TimeRange): string {
  const unit = panel.fieldConfig?.defaults.unit ?? 'short';
  const isStacked = panel.fieldConfig?.defaults.custom?.stacking?.mode === 'normal';
  const drawn = isStacked ? stacked(lines) : lines;
  const scale = scaleOf(
    drawn.flatMap(({ points }) => points.map(([, value]) => value)),
    unit,
  );
  const labels = scale.steps.map((value) => formatValue(value, unit));
  const left = 10 + AXIS_LETTER * Math.max(...labels.map((text) => text.length));
  const plot: Plot = {
    ...{ left, right: width - 8, top: HEAD, bottom: height - legendHeight(lines, width) - FOOT },
    ...{ range, scale },
  };
  const svgHeight = plot.bottom + FOOT;
  return [
    `<svg width="${width}" height="${svgHeight}" viewBox="0 0 ${width} ${svgHeight}">`,
    ...scale.steps.map((value, i) => gridLine(plot, yOf(plot, value), labels[i] ?? '')),
    ...timeLabels(plot),
    ...drawn.map((line, i) => drawLine(plot, line, colourOf(i))),
    '</svg>',
    legend(lines),
  ].join('');
}

interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly range: TimeRange;
  readonly scale: Scale;
}

export const colourOf = (i: number): string => PALETTE[i % PALETTE.length] ?? '#000';
const round = (value: number): string => value.toFixed(1);
const xOf = ({ left, right, range }: Plot, time: number): number =>
  left + ((time - range.start) / (range.end - range.start)) * (right - left);
const yOf = ({ top, bottom, scale }: Plot, value: number): number =>
  bottom - ((value - scale.lowest) / (scale.highest - scale.lowest)) * (bottom - top);

const gridLine = ({ left, right }: Plot, y: number, label: string): string =>
  `<line class="grid" x1="${round(left)}" x2="${right}" y1="${round(y)}" y2="${round(y)}"/>` +
  `<text class="axis" text-anchor="end" x="${round(left - 5)}" y="${round(y + 3.5)}">${escapeHtml(label)}</text>`;

/** Labels four times, in the middle of each quarter of the range. */
function timeLabels(plot: Plot): string[] {
  const { start, end } = plot.range;
  return [0.125, 0.375, 0.625, 0.875].map((share) => {
    const time = start + share * (end - start);
    const x = round(xOf(plot, time));
    const text = new Date(time * 1000).toISOString().slice(11, 19);
    return (
      `<line class="grid" x1="${x}" x2="${x}" y1="${plot.top}" y2="${round(plot.bottom)}"/>` +
      `<text class="axis" text-anchor="middle" x="${x}" y="${round(plot.bottom + 14)}">${text}</text>`
    );
  });
}

/** Draws a path for each stretch without a gap, with a tint below. */
function drawLine(plot: Plot, { points }: Line, colour: string): string {
  const base = round(yOf(plot, 0));
  return stretches(points, plot.range.step)
    .map((stretch) => {
      const places = stretch.map(([time, value]) => `${round(xOf(plot, time))} ${round(yOf(plot, value))}`);
      const [first, last] = [stretch[0], stretch.at(-1)].map((point) => round(xOf(plot, point?.[0] ?? 0)));
      if (stretch.length === 1)
        return `<circle cx="${first ?? ''}" cy="${places[0]?.split(' ')[1] ?? ''}" r="2" fill="${colour}"/>`;
      const path = places.join(' L');
      return (
        `<path d="M${first ?? ''} ${base} L${path} L${last ?? ''} ${base} Z" fill="${colour}" fill-opacity="0.08"/>` +
        `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
      );
    })
    .join('');
}

function stretches(points: Line['points'], step: number): Line['points'][] {
  const result: (readonly [number, number])[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point[0] - before > GAP_STEPS * step) result.push([]);
    result.at(-1)?.push(point);
    [before] = point;
  }
  return result;
}

/** Adds to each line the lines before it. */
function stacked(lines: readonly Line[]): Line[] {
  const heights = new Map<number, number>();
  return lines.map(({ name, points }) => ({
    name,
    points: points.map(([time, value]) => {
      const height = (heights.get(time) ?? 0) + value;
      heights.set(time, height);
      return [time, height] as const;
    }),
  }));
}

const legend = (lines: readonly Line[]): string =>
  `<ul class="legend">${lines
    .map(({ name }, i) => `<li><i style="background:${colourOf(i)}"></i>${escapeHtml(name)}</li>`)
    .join('')}</ul>`;

function legendHeight(lines: readonly Line[], width: number): number {
  let rows = 1;
  let used = 0;
  for (const { name } of lines) {
    const needed = LEGEND_MARK + LEGEND_LETTER * name.length;
    if (used > 0 && used + needed > width - 16) {
      rows += 1;
      used = 0;
    }
    used += needed;
  }
  return rows * LEGEND_LINE + 4;
}
