import { z } from 'zod';
import type { StageResult } from './result.ts';

/** The parts of the file from `jest --json --outputFile` that a stage needs. */
const jestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export interface JestRun {
  readonly stage: string;
  /** True if the run may have no tests, because a filter selected them. */
  readonly mayBeEmpty: boolean;
  /** The parsed report. Undefined if jest wrote none. */
  readonly report: unknown;
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/**
 * Counts the results of a jest run. A suite that does not load is a failure. So is a failed run in which all tests passed, because of low coverage or a
 * hang at the end. A run without tests fails, unless a filter selected them.
 */
export function readJestRun(run: JestRun): StageResult {
  const parsed = jestReport.safeParse(run.report);
  const base = { name: run.stage, output: run.output, durationMs: run.durationMs };
  if (!parsed.success) return { ...base, passed: 0, failed: 1, skipped: [] };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = parsed.data;
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  const skipped = testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => NOT_RUN.has(status))
      .map(({ fullName, status }) => `${fullName} (${status})`),
  );
  const isEmpty = numPassedTests + failed + skipped.length === 0;
  const hasFailed = run.exitCode !== 0 || (isEmpty && !run.mayBeEmpty);
  return { ...base, passed: numPassedTests, failed: failed === 0 && hasFailed ? 1 : failed, skipped };
}

const NOT_RUN = new Set(['pending', 'todo', 'skipped', 'disabled']);
