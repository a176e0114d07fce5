import path from 'node:path';

export interface JestSelection {
  /** The project's name in jest.config.mjs. */
  readonly project: string;
  /** Only tests whose path matches. */
  readonly filter: string | undefined;
  readonly workers: number;
  readonly reportFile: string;
  /** How many times as long as usual each test may take. */
  readonly slowdown: number;
  /** Options for runs without a filter. */
  readonly more: readonly string[];
}

/** For tests that name no limit. */
const TEST_WITHIN_MS = 30_000;

/** The arguments of node for a stage of tests. Only a filter may select no test: a project without tests is a mistake in its pattern. */
export const jestArguments = ({ project, filter, workers, reportFile, slowdown, more }: JestSelection): string[] => [
  // Loading modules allocates much that is soon garbage. A larger young generation saves a tenth of the CPU time.
  '--max-semi-space-size=64',
  path.join('node_modules', 'jest', 'bin/jest.js'),
  '--selectProjects',
  project,
  `--maxWorkers=${workers}`,
  '--json',
  `--outputFile=${reportFile}`,
  `--testTimeout=${TEST_WITHIN_MS * slowdown}`,
  ...(filter === undefined ? more : ['--passWithNoTests', '--testPathPatterns', filter]),
];
