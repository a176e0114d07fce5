import { z } from 'zod';
import type { StageResult } from './result.ts';

/** The results of a test file. */
const fileResult = z.object({
  /** Its project in jest.config.mjs. */
  project: z.string(),
  path: z.string(),
  durationMs: z.number(),
  passed: z.int(),
  /** A file that does not load counts as a failed test. */
  failed: z.int(),
  /** Tests that did not run, each with its status. */
  skipped: z.array(z.string()),
});
export type FileResult = z.infer<typeof fileResult>;
const failure = z.object({
  /** The path of the test file. */
  path: z.string(),
  /** The name of the test. */
  name: z.string(),
  text: z.string(),
});
export type Failure = z.infer<typeof failure>;
/** What jest-reporter.cjs sends: a failure, the result of a file, or `complete` after the last one. */
export const jestMessage = z.union([fileResult, failure, z.literal('complete')]);

export interface JestRun {
  readonly projects: readonly string[];
  /** True if the run may have no tests, because a filter selected them. */
  readonly mayBeEmpty: boolean;
  readonly files: readonly FileResult[];
  /** False if jest ended before all files were done. */
  readonly isComplete: boolean;
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/**
 * Counts the results of a jest run by project. A project without tests fails, unless a filter selected them. A run that
 * ended too early has one failure more. So has a failed run in which all tests passed, because of low coverage. The
 * output belongs to the first project that failed, or else to the first.
 */
export function resultsByProject(run: JestRun): StageResult[] {
  const counted = run.projects.map((name) => countProject(name, run));
  const firstFailed = counted.findIndex(({ failed }) => failed > 0);
  const shown = Math.max(firstFailed, 0);
  const hasFailed = !run.isComplete || (run.exitCode !== 0 && firstFailed < 0);
  const output = run.isComplete ? run.output : `${run.output}\njest ended before all test files were done`;
  return counted.map((result, i) =>
    i === shown ? { ...result, failed: result.failed + (hasFailed ? 1 : 0), output } : result,
  );
}

function countProject(name: string, { projects, mayBeEmpty, files, durationMs }: JestRun): StageResult {
  const own = files.filter(({ project }) => project === name);
  const sum = (of: (file: FileResult) => number): number => own.reduce((total, file) => total + of(file), 0);
  const passed = sum((file) => file.passed);
  const failed = sum((file) => file.failed);
  const skipped = own.flatMap((file) => file.skipped);
  const isEmpty = passed + failed + skipped.length === 0;
  return {
    name,
    passed,
    failed: isEmpty && !mayBeEmpty ? 1 : failed,
    skipped,
    // Projects that run together have no time of their own.
    durationMs: projects.length === 1 ? durationMs : undefined,
    files: own.map((file) => ({ path: file.path, durationMs: file.durationMs })),
    output: '',
  };
}
