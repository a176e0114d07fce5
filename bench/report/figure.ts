import os from 'node:os';
import type { CpuSeconds } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';

/** One measured run of one variant. */
export interface Run {
  /** `product`, or the baseline's name. */
  readonly variant: string;
  readonly round: number;
  readonly events: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** CPU seconds per 1,000 events by role, which equal CPU milliseconds per event. */
  readonly cpuPer1000: CpuSeconds;
  /** The figure's further values, with the unit in the name. */
  readonly values: Readonly<Record<string, number>>;
}

/** The run of a measurement. `cpu`: what each role used for all events. */
export const runOf = (
  { variant, round, events, seconds }: Pick<Run, 'variant' | 'round' | 'events' | 'seconds'>,
  cpu: CpuSeconds,
  values: Run['values'],
): Run => ({
  variant,
  round,
  events,
  seconds,
  perSecond: events / seconds,
  cpuPer1000: Object.fromEntries(Object.entries(cpu).map(([role, used]) => [role, (used * 1000) / events])),
  values,
});

/** A limit that a figure must reach. */
export interface Bar {
  readonly what: string;
  readonly measured: number;
  /** The same ratio by CPU time alone (see `cpuRate`), as it would be on an undisturbed machine. */
  readonly byCpu?: number;
  readonly unit: string;
  readonly mustReach: number;
  readonly aimFor: number | undefined;
  /** `min` means at least, `max` at most. */
  readonly sense: 'min' | 'max';
}

export interface FigureContext {
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly openLab: () => Promise<Lab>;
  readonly progress: (text: string) => void;
}

export interface FigureResult {
  readonly runs: readonly Run[];
  readonly bars: readonly Bar[];
  /** Facts about these runs that a reader needs. */
  readonly notes?: readonly string[];
}

export interface Figure {
  readonly name: string;
  readonly title: string;
  /** If true, the figure runs only when named. */
  readonly isOnDemand?: boolean;
  measure(context: FigureContext): Promise<FigureResult>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export const medianRate = (runs: readonly Run[], variant: string): number =>
  median(runs.filter((run) => run.variant === variant).map(({ perSecond }) => perSecond));

const largest = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : Math.max(...values));
const smallest = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : Math.min(...values));

/** Values that must be good in each round. The worst round counts, because a median would hide it. */
const WORST: ReadonlyMap<string, (values: readonly number[]) => number> = new Map([
  ['lost', largest],
  ['doubled', largest],
  ['refused', largest],
  ['openMax', largest],
  ['healthyDeliveredPercent', smallest],
  ['steadyDeliveredPercent', smallest],
]);

/**
 * The figure's value over all rounds: the worst for `WORST`, the median for others. Without rounds it is NaN, which
 * reaches no bar.
 */
export const valueOfRounds = (runs: readonly Run[], variant: string, name: string): number =>
  (WORST.get(name) ?? median)(
    runs.flatMap((run) => (run.variant === variant && run.values[name] !== undefined ? [run.values[name]] : [])),
  );

/** The median of the ratios within each round, because a disturbance of a round affects both variants. */
export function medianRatio(runs: readonly Run[], variant: string, to: string): number {
  const rates = (name: string): Map<number, number> =>
    new Map(runs.filter((run) => run.variant === name).map(({ round, perSecond }) => [round, perSecond]));
  const [above, below] = [rates(variant), rates(to)];
  return median(
    [...above].flatMap(([round, rate]) => (below.has(round) ? [rate / (below.get(round) ?? Number.NaN)] : [])),
  );
}

export const medianCpu = (runs: readonly Run[], variant: string, role: string): number =>
  median(
    runs.flatMap((run) =>
      run.variant === variant && run.cpuPer1000[role] !== undefined ? [run.cpuPer1000[role]] : [],
    ),
  );

/** The p-th percentile (0..1) by nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))] ?? Number.NaN;
}

/**
 * The events per second that the run's CPU times allow. A process has at most one core, and all together at most
 * `cores`.
 */
export function cpuRate({ cpuPer1000 }: Run, cores: number): number {
  const seconds = Object.values(cpuPer1000);
  const all = seconds.reduce((sum, one) => sum + one, 0);
  return 1000 / Math.max(...seconds, all / cores);
}

/** The ratio of two variants' median `cpuRate`. */
export function cpuRatio(runs: readonly Run[], variant: string, to: string): number {
  const cores = os.cpus().length;
  const of = (name: string): number =>
    median(runs.filter((run) => run.variant === name).map((run) => cpuRate(run, cores)));
  return of(variant) / of(to);
}
