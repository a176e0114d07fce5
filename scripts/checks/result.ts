/** How long a test file ran, with the loading of its modules. */
export interface FileTime {
  readonly path: string;
  readonly durationMs: number;
}

/** The result of a stage. A check such as the linter counts as one test. */
export interface StageResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** What did not run, each with its reason. */
  readonly skipped: readonly string[];
  /** Undefined if it ran together with others. */
  readonly durationMs: number | undefined;
  /** Its test files, in the order of their ends. */
  readonly files: readonly FileTime[];
  /** The text to show after a failure. */
  readonly output: string;
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Adds up the results. In CI a skip counts as a failure, so that nobody overlooks a test that did not run. */
export function totalsOf(results: readonly StageResult[], skipped: number, isSkipFailure: boolean): Totals {
  const sum = (of: (result: StageResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const failed = sum((result) => result.failed);
  return {
    passed: sum((result) => result.passed),
    failed: failed + (isSkipFailure ? skipped : 0),
    skipped: isSkipFailure ? 0 : skipped,
  };
}

/** The test files that ran longest, the longest first. */
export const slowestFiles = (results: readonly StageResult[], count: number): FileTime[] =>
  results
    .flatMap(({ files }) => files)
    .toSorted((a, b) => b.durationMs - a.durationMs)
    .slice(0, count);

/** The last line of `npm test`. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
