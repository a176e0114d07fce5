import type { Dashboard, Panel, Target } from './dashboard.ts';
import type { QueriedSeries, TimeRange } from './prometheus.ts';

/** A line of a panel. */
interface Line {
  readonly name: string;
  readonly points: QueriedSeries['points'];
}

/** A panel, and the results of its queries. */
export interface FilledPanel {
  readonly panel: Panel;
  readonly lines: readonly Line[];
}

type QueryRange = (query: string, range: TimeRange) => Promise<readonly QueriedSeries[]>;

/** Grafana's `$__rate_interval` covers at least four scrapes, so that a rate always has two values. */
const SCRAPES_OF_A_RATE = 4;

/** Runs the queries of every panel over a range. @throws Error that names the panels and queries without data. */
export async function fillPanels(
  { panels }: Dashboard,
  queryRange: QueryRange,
  range: TimeRange,
  scrapeSeconds: number,
): Promise<FilledPanel[]> {
  const empty: string[] = [];
  const ask = async (panel: Panel, target: Target): Promise<Line[]> => {
    const query = target.expr
      .replaceAll('$__rate_interval', `${Math.max(SCRAPES_OF_A_RATE * scrapeSeconds, range.step + scrapeSeconds)}s`)
      .replaceAll('$__interval', `${range.step}s`);
    const series = (await queryRange(query, range)).filter(({ points }) => points.length > 0);
    if (series.length === 0) empty.push(`"${panel.title}": ${target.expr}`);
    return series.map(({ labels, points }) => ({ name: nameOf(target, labels), points }));
  };
  const filled = await Promise.all(
    panels.map(async (panel) => ({
      panel,
      lines: (await Promise.all((panel.targets ?? []).map((target) => ask(panel, target)))).flat(),
    })),
  );
  if (empty.length > 0) throw new Error(`These panels have no data:\n${empty.map((one) => `  ${one}`).join('\n')}`);
  return filled;
}

const nameOf = ({ legendFormat }: Target, labels: Readonly<Record<string, string>>): string =>
  legendFormat.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_all, label: string) => labels[label] ?? '').trim();
