import { readDashboard } from '../../monitoring/dashboard.ts';
import { dashboardDocument } from './document.ts';
import type { FilledPanel, Line } from './evaluate.ts';

const range = { start: 1_700_000_000, end: 1_700_000_090, step: 2 };
const line = (name: string, value: number): Line => ({
  name,
  points: Array.from({ length: 46 }, (_, i) => [range.start + 2 * i, value] as const),
});
/** A flat line, a line with a gap, and a single value. */
const lines: readonly Line[] = [
  line('nothing', 0),
  { name: 'with a <gap>', points: line('', 3).points.filter((_point, i) => i < 10 || i > 30) },
  { name: 'once', points: [[range.start + 20, 7]] },
];

const draw = (panels: readonly FilledPanel[]): string => dashboardDocument('Mailhook', panels, range);

test('every panel of the dashboard is drawn, with its title and legend', () => {
  const { panels } = readDashboard();
  const page = draw(panels.map((panel) => ({ panel, lines: panel.type === 'row' ? [] : lines })));
  for (const { title } of panels) expect(page).toContain(`>${title}<`);
  const charts = panels.filter(({ type }) => type === 'timeseries').length;
  expect(page.match(/<svg /g)).toHaveLength(charts);
  expect(page.match(/with a &lt;gap&gt;<\/li>/g)).toHaveLength(charts);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test('a value has the color of the highest threshold that it reaches', () => {
  const panel = readDashboard().panels.find(({ title }) => title === 'Waits for a worker')!;
  const colours = [0, 10, 59, 60].map(
    (value) => /background:(#\w+)/.exec(draw([{ panel, lines: [line('', value)] }]).split('</style>')[1] ?? '')?.[1],
  );
  const [green, orange, alsoOrange, red] = colours;
  expect(alsoOrange).toBe(orange);
  expect(new Set([green, orange, red]).size).toBe(3);
});

test('stacked lines add up, and the axis has room for the sum', () => {
  const panel = readDashboard().panels.find(({ title }) => title === 'Ready processes')!;
  const page = draw([{ panel, lines: [line('api', 1), line('campaign-batcher', 2)] }]);
  const tops = [...page.matchAll(/<text class="axis" text-anchor="end"[^>]*>([^<]+)</g)].map(([, text]) =>
    Number(text),
  );
  expect(Math.max(...tops)).toBeGreaterThanOrEqual(3);
});
