import { z } from 'zod';
import type { StageResult } from './result.ts';

/** What we read of the file that `jest --json --outputFile` writes. */
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
  /** Whether the run may have no tests, because a filter selected them. */
  readonly mayBeEmpty: boolean;
  /** The parsed report; undefined when jest wrote none. */
  readonly report: unknown;
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/**
 * Counts a run of jest. A suite that could not be loaded is a failure, and so is a run that failed though all of its tests passed
 * (coverage below its threshold, a hang at the end). A run without tests has failed, unless a filter selected them.
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
