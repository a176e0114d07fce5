import type { Panel, Threshold } from '../../monitoring/dashboard.ts';
import type { TimeRange } from '../../monitoring/prometheus.ts';
import { escapeHtml } from './escape.ts';
import type { FilledPanel, Line } from './evaluate.ts';
import type { Size } from './time-chart.ts';
import { timeChart } from './time-chart.ts';
import { formatValue } from './units.ts';

export const WIDTH = 1240;
const COLUMNS = 24;
const MARGIN = 8;
const ROW_HEIGHT = 24;
const TITLE_HEIGHT = 26;
const COLOURS: Readonly<Record<string, string>> = { green: '#4c8c3f', orange: '#d9822b', red: '#c4302b' };

const STYLE = `
  * { box-sizing: border-box; margin: 0; padding: 0; }
  body { position: relative; width: ${WIDTH}px; background: #f4f5f5; color: #24292e; font: 12px/1.35 sans-serif; }
  section { position: absolute; background: #fff; border: 1px solid #e0e2e5; overflow: hidden; }
  section h2 { height: ${TITLE_HEIGHT - 2}px; padding: 5px 8px 0; font-size: 12.5px; font-weight: 600; }
  h1 { position: absolute; font-size: 14px; font-weight: 600; padding: 6px 2px; }
  svg { display: block; }
  .grid { stroke: #e6e8ea; stroke-width: 1; }
  .axis { font: 10.5px sans-serif; fill: #586069; }
  .legend { display: flex; flex-wrap: wrap; list-style: none; padding: 0 8px; font-size: 11px; line-height: 16px; }
  .legend li { margin-right: 12px; white-space: nowrap; }
  .legend i { display: inline-block; width: 12px; height: 3px; margin-right: 5px; vertical-align: middle; }
  .stats { display: flex; height: calc(100% - ${TITLE_HEIGHT - 2}px); gap: 2px; padding: 2px; }
  .stat { flex: 1; min-width: 0; color: #fff; padding: 6px 8px; }
  .stat b { display: block; font-size: 18px; line-height: 1.3; white-space: nowrap; }
`;

/** Draws the dashboard as a plain, light page with its titles, layout, units, legends and thresholds. */
export function dashboardDocument(title: string, panels: readonly FilledPanel[], range: TimeRange): string {
  const rows = Math.max(...panels.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h));
  const height = MARGIN + rows * (ROW_HEIGHT + MARGIN);
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>`,
    `<style>${STYLE} body { height: ${height}px; }</style><body>`,
    ...panels.map((filled) => place(filled, range)),
    '</body></html>',
  ].join('\n');
}

function place(filled: FilledPanel, range: TimeRange): string {
  const { panel } = filled;
  const { x, y, w, h } = panel.gridPos;
  const column = (WIDTH - MARGIN) / COLUMNS;
  const size: Size = { width: column * w - MARGIN, height: h * (ROW_HEIGHT + MARGIN) - MARGIN };
  const style = `left:${MARGIN + x * column}px;top:${MARGIN + y * (ROW_HEIGHT + MARGIN)}px`;
  const heading = escapeHtml(panel.title);
  if (panel.type === 'row') return `<h1 style="${style}">${heading}</h1>`;
  const inner = { width: size.width - 2, height: size.height - TITLE_HEIGHT };
  const body = panel.type === 'stat' ? stats(filled) : timeChart(filled, inner, range);
  return `<section style="${style};width:${size.width}px;height:${size.height}px"><h2>${heading}</h2>${body}</section>`;
}

/** Shows the last value of each line in the color of its threshold, with its name if there are several lines. */
function stats({ panel, lines }: FilledPanel): string {
  const fields = lines.map((line) => {
    const value = lastOf(line);
    const name = lines.length > 1 ? escapeHtml(line.name) : '';
    const text = escapeHtml(formatValue(value, panel.fieldConfig?.defaults.unit ?? 'short'));
    return `<div class="stat" style="background:${colourAt(value, panel)}">${name}<b>${text}</b></div>`;
  });
  return `<div class="stats">${fields.join('')}</div>`;
}

const lastOf = ({ points }: Line): number => points.at(-1)?.[1] ?? Number.NaN;

function colourAt(value: number, { fieldConfig }: Panel): string {
  const steps: readonly Threshold[] = fieldConfig?.defaults.thresholds?.steps ?? [];
  const step = steps.filter((one) => one.value === null || value >= one.value).at(-1);
  return COLOURS[step?.color ?? 'green'] ?? '#586069';
}
