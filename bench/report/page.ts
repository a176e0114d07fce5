import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceSection } from '../../scripts/docs/generated-section.ts';
import { ROOT } from '../lab/paths.ts';
import type { Bar, FigureResult, Run } from './figure.ts';
import { barsRows, number, runsRows } from './table.ts';

/** The result of a figure, or why there is none. */
export interface Measured extends Partial<FigureResult> {
  readonly name: string;
  readonly title: string;
  readonly failure?: string;
}

/** How and where the figures were measured. */
export interface Head {
  readonly commit: string;
  readonly command: string;
  readonly at: string;
  readonly machine: {
    readonly cpus: number;
    readonly cpu: string;
    readonly memoryBytes: number;
    readonly node: string;
  };
}

const PAGE = path.join(ROOT, 'docs/performance-data.md');
const SECTION = 'bench';

/** One run of the bench, as `--json` writes it. */
export interface Report extends Head {
  readonly figures: readonly Measured[];
}

/** Replaces the generated part of `docs/performance-data.md` with these results. */
export async function writePage(reports: readonly Report[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, replaceSection(page, SECTION, contentOf(reports)));
}

export const readReport = async (file: string): Promise<Report> => JSON.parse(await readFile(file, 'utf8')) as Report;

function contentOf(reports: readonly Report[]): string {
  const bars = reports.flatMap(({ figures }) =>
    figures.flatMap(({ name, bars: some = [] }) =>
      some.map((bar): Bar & { figure: string } => ({ ...bar, figure: name })),
    ),
  );
  const machine = reports.at(-1)?.machine;
  const gigabytes = Math.round((machine?.memoryBytes ?? 0) / 1e9);
  return [
    `Node ${machine?.node ?? ''}, ${machine?.cpus ?? 0} x ${machine?.cpu ?? ''}, ${gigabytes} GB, everything on ` +
      'one machine.',
    markdownTable(barsRows(bars)),
    ...reports.flatMap((report) => report.figures.flatMap((figure) => figureLines(figure, report))),
  ].join('\n\n');
}

function figureLines(
  { name, title, runs = [], notes = [], failure }: Measured,
  { commit, command, at }: Head,
): string[] {
  const heading = `### ${title} (\`${name}\`)`;
  const how = `\`${command}\`, commit \`${commit}\`, begun ${at.slice(0, 16).replace('T', ' ')} UTC.`;
  if (failure !== undefined) return [heading, `Not measured: ${failure.split('\n')[0] ?? ''}`, how];
  return [heading, markdownTable(runsRows({ runs })), `Every run, events/s: ${everyRun(runs)}.`, ...notes, how];
}

function everyRun(runs: readonly Run[]): string {
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const ratesOf = (variant: string): string =>
    runs.flatMap((run) => (run.variant === variant ? [number(run.perSecond)] : [])).join(' · ');
  return variants.map((variant) => `${variant} ${ratesOf(variant)}`).join('; ');
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
