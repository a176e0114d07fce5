import path from 'node:path';

export interface JestSelection {
  /** Names of projects in jest.config.mjs. */
  readonly projects: readonly string[];
  /** Selects tests by path. */
  readonly filter: string | undefined;
  /** Selects tests that import a file changed since this commit. */
  readonly changedSince?: string | undefined;
  readonly workers: number;
  /** How many times longer than usual each test may take. */
  readonly slowdown: number;
  /** More options, for runs of all tests. */
  readonly more: readonly string[];
}

/** The time limit of a test that sets none. */
const TEST_WITHIN_MS = 30_000;

/**
 * Returns the arguments for a run of jest. Only a selection may be empty: a project without tests has a mistake in its
 * pattern.
 */
export const jestArguments = ({ projects, filter, changedSince, workers, slowdown, more }: JestSelection): string[] => [
  '--conditions=@mailhook/source',
  path.join('node_modules', 'jest', 'bin/jest.js'),
  '--selectProjects',
  ...projects,
  `--maxWorkers=${workers}`,
  `--testTimeout=${TEST_WITHIN_MS * slowdown}`,
  ...(filter === undefined && changedSince === undefined ? more : ['--passWithNoTests']),
  ...(filter === undefined ? [] : ['--testPathPatterns', filter]),
  ...(changedSince === undefined ? [] : ['--changedSince', changedSince]),
];
