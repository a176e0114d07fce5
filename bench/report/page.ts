import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceSection } from '../../scripts/docs/generated-section.ts';
import { ROOT } from '../lab/paths.ts';
import type { Bar, FigureResult, Run } from './figure.ts';
import { barsRows, number, runsRows } from './table.ts';

/** A figure as it was measured: its result, or why there is none. */
export interface Measured extends Partial<FigureResult> {
  readonly name: string;
  readonly title: string;
  readonly failure?: string;
}

/** What the figures were measured with. */
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

const PAGE = path.join(ROOT, 'docs/performance.md');
const SECTION = 'bench';

/** Replaces the generated part of `docs/performance.md`. */
export async function writePage(head: Head, measured: readonly Measured[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, replaceSection(page, SECTION, contentOf(head, measured)));
}

function contentOf(head: Head, measured: readonly Measured[]): string {
  const { commit, command, at, machine } = head;
  const gigabytes = Math.round(machine.memoryBytes / 1e9);
  const bars = measured.flatMap(({ name, bars: some = [] }) =>
    some.map((bar): Bar & { figure: string } => ({ ...bar, figure: name })),
  );
  return [
    `\`${command}\`, commit \`${commit}\`, ${at.slice(0, 16).replace('T', ' ')} UTC, Node ${machine.node}, ${machine.cpus} x ${machine.cpu}, ${gigabytes} GB.`,
    markdownTable(barsRows(bars)),
    ...measured.flatMap(figureLines),
  ].join('\n\n');
}

function figureLines({ name, title, runs = [], notes = [], failure }: Measured): string[] {
  const heading = `### ${title} (\`${name}\`)`;
  if (failure !== undefined) return [heading, `Not measured: ${failure.split('\n')[0] ?? ''}`];
  return [heading, markdownTable(runsRows({ runs })), `Every run, events/s: ${everyRun(runs)}.`, ...notes];
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
