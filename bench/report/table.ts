import type { Bar, FigureResult, Run } from './figure.ts';
import { median, valueOfRounds } from './figure.ts';

export const number = (value: number): string => {
  if (Number.isNaN(value)) return '-';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4;
  return value.toLocaleString('en-GB', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
};

/** Aligns lines in columns: the first column to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * One line per variant: the medians of rate, of CPU seconds per 1,000 events by role, and of the figure's further
 * values.
 */
export function runsRows({ runs }: Pick<FigureResult, 'runs'>): string[][] {
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const roles = [...new Set(runs.flatMap(({ cpuPer1000 }) => Object.keys(cpuPer1000)))];
  const names = [...new Set(runs.flatMap(({ values }) => Object.keys(values)))];
  const of = (variant: string, pick: (run: Run) => number | undefined): string =>
    number(median(runs.filter((run) => run.variant === variant).flatMap((run) => pick(run) ?? [])));
  return [
    ['', 'events/s', ...roles.map((role) => `${role} CPU s/1k`), ...names],
    ...variants.map((variant) => [
      variant,
      of(variant, ({ perSecond }) => perSecond),
      ...roles.map((role) => of(variant, ({ cpuPer1000 }) => cpuPer1000[role])),
      ...names.map((name) => number(valueOfRounds(runs, variant, name))),
    ]),
  ];
}

const reaches = ({ measured, sense }: Bar, bar: number): boolean =>
  sense === 'min' ? measured >= bar : measured <= bar;

export const holds = (bar: Bar): boolean => reaches(bar, bar.mustReach);

/** All bars, with whether each holds. */
export function barsRows(bars: readonly (Bar & { readonly figure: string })[]): string[][] {
  const limit = (bar: Bar, value: number | undefined): string =>
    value === undefined
      ? ''
      : `${bar.sense === 'min' ? '>=' : '<='} ${number(value)}${bar.unit === 'x' ? ' x' : ` ${bar.unit}`}`;
  const verdict = (bar: Bar): string => {
    if (!holds(bar)) return 'MISSED';
    return bar.aimFor !== undefined && reaches(bar, bar.aimFor) ? 'holds, and the aim' : 'holds';
  };
  return [
    ['figure', 'bar', 'measured', 'by CPU', 'must reach', 'aim for', ''],
    ...bars.map((bar) => [
      bar.figure,
      bar.what,
      `${number(bar.measured)}${bar.unit === 'x' ? ' x' : ` ${bar.unit}`}`,
      bar.byCpu === undefined ? '' : `${number(bar.byCpu)} x`,
      limit(bar, bar.mustReach),
      limit(bar, bar.aimFor),
      verdict(bar),
    ]),
  ];
}
