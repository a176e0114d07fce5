import type { Series } from '../monitoring/scrape.ts';

/**
 * `unknown` means that a check was impossible, and the finding says what is missing. Only `fail` makes an installation
 * unfit.
 */
export type Verdict = 'pass' | 'warn' | 'fail' | 'unknown';

export interface Finding {
  /** What was checked. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found. */
  readonly found: string;
  /** How to fix it. Undefined if there is nothing to fix. */
  readonly fix?: string | undefined;
}

export const finding = (check: string, verdict: Verdict, found: string, fix?: string): Finding => ({
  check,
  verdict,
  found,
  fix: verdict === 'pass' ? undefined : fix,
});

export const values = (series: readonly Series[], metric: string): Series[] =>
  series.filter((one) => one.metric === metric);
/** Returns the value of a metric's first series. */
export const numberOf = (series: readonly Series[], metric: string): number | undefined =>
  values(series, metric)[0]?.value;
export const label = (series: readonly Series[], metric: string, name: string): string | undefined =>
  values(series, metric)[0]?.labels.get(name);
