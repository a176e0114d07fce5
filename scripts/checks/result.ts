/** What came of a stage. Checks such as the linter count as one test. */
export interface StageResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** What was not run, each by name with the reason. */
  readonly skipped: readonly string[];
  readonly durationMs: number;
  /** What to show when something failed. */
  readonly output: string;
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Where a skip counts as a failure (CI), nothing is left unrun without anybody noticing. */
export function totalsOf(results: readonly StageResult[], isSkipFailure: boolean): Totals {
  const sum = (of: (result: StageResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const skipped = sum((result) => result.skipped.length);
  const failed = sum((result) => result.failed);
  return {
    passed: sum((result) => result.passed),
    failed: failed + (isSkipFailure ? skipped : 0),
    skipped: isSkipFailure ? 0 : skipped,
  };
}

/** The last line of `npm test`. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
