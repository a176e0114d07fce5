import path from 'node:path';
import type { TestTool } from '@mailhook/testing';
import { jestArguments } from './jest-arguments.ts';
import type { Failure, FileResult } from './jest-results.ts';
import { jestMessage, resultsByProject } from './jest-results.ts';
import type { StageResult } from './result.ts';
import { runNode } from './run-command.ts';
import type { RunOptions } from './run-command.ts';
import { bundle, mainOf } from '../stack/bundles.ts';
import { SERVICES } from '../stack/settings.ts';

export interface StageContext {
  /** Includes the addresses of the started resources. */
  readonly env: NodeJS.ProcessEnv;
  /** Selects tests by path. */
  readonly filter: string | undefined;
  /** Selects tests that import a file changed since this commit. */
  readonly changedSince: string | undefined;
  /** How many times longer than usual the tests may take. */
  readonly slowdown: number;
  /** With it the stage takes only the time that the tests leave to it, and ends without a result when it is aborted. */
  readonly whileTestsRun: AbortSignal | undefined;
  /** Called for each failed test when it fails. */
  readonly onFailure: (failure: Failure) => void;
  /** Called for each test file when it is done. */
  readonly onFile: (file: FileResult) => void;
}

export interface Stage {
  readonly name: string;
  /** Without one of these the stage does not run. */
  readonly requires: readonly TestTool[];
  /** Without one of these, the tests that use it are skipped. */
  readonly uses: readonly TestTool[];
  readonly isTestRun: boolean;
  /** Tests write the same files as this stage, so it ends before they start. */
  readonly isBeforeTests?: boolean;
  /** Runs the stage beside another one. Undefined for the projects of `runProjects`. */
  readonly run: ((context: StageContext) => Promise<StageResult[]>) | undefined;
}

const CHECK_WITHIN_MS = 5 * 60_000;
/** Without a filter and in CI four times as long, below the hour of the nightly jobs. */
const TESTS_WITHIN_MS = 12 * 60_000;
/**
 * The time that jest may take to end after its last test. A failed test may leave a server or a worker behind, which
 * would keep it running.
 */
const ENDS_WITHIN_MS = 10_000;
/**
 * More workers than the two cores of a small machine, because many tests mostly wait. With 3 or 6, the tests take 8 %
 * longer.
 */
const TEST_WORKERS = 4;
const CORE_COVERAGE = [
  '--coverage',
  '--coverageReporters=text',
  '--coverageDirectory=coverage/core',
  '--collectCoverageFrom=packages/core/src/**/*.ts',
  '--collectCoverageFrom=!**/*.{test,suite}.ts',
  `--coverageThreshold=${JSON.stringify({ global: { branches: 100 } })}`,
];
const TSC = bin('@typescript/native', 'bin/tsc');
/** For programs in Go. The build then takes two thirds of the CPU time, for 10 % more memory. */
const RARE_GARBAGE_COLLECTION = { GOGC: '400' };
const OWN_SCRIPT = ['--conditions=@mailhook/source', '--import', 'tsx'];

/** In the order of their start, the longest checks first. */
export const STAGES: readonly Stage[] = [
  check('promises', [bin('eslint', 'bin/eslint.js'), '--max-warnings', '0', '.']),
  {
    name: 'core',
    requires: [],
    uses: [],
    isTestRun: true,
    run: (context) => runJest(['core'], 1, CORE_COVERAGE, context),
  },
  // Here and in `types` one thread, because another stage or the tests run beside it.
  check('lint', [bin('oxlint', 'bin/oxlint'), '--type-aware', '--threads=1', '.'], [], {
    ...RARE_GARBAGE_COLLECTION,
    GOMAXPROCS: '1',
  }),
  check('types', [TSC, '--singleThreaded'], [], RARE_GARBAGE_COLLECTION),
  check('format', [bin('oxfmt', 'bin/oxfmt'), '--check', '--threads=1', '.']),
  check('comments', [...OWN_SCRIPT, 'scripts/checks/long-comments.ts'], ['git']),
  check('architecture', [
    bin('dependency-cruiser', 'bin/dependency-cruise.mjs'),
    '--output-type',
    'err',
    'packages',
    'services',
    'scripts',
  ]),
  // Exports that no other file uses.
  check('exports', [bin('knip', 'bin/knip.js'), '--no-progress', '--tsConfig', 'tsconfig.build.json']),
  check('docs', [...OWN_SCRIPT, 'scripts/docs/check.ts'], ['git']),
  // The stage `types` checks the same files.
  {
    ...check('build', [TSC, '-b', 'tsconfig.build.json', '--noCheck'], [], RARE_GARBAGE_COLLECTION),
    isBeforeTests: true,
  },
  project(
    'unit',
    ['redis-server'],
    ['mongod', 'python3', 'pip', 'php', 'docker-compose', 'cc', 'git', 'openssl', 'prlimit'],
  ),
  project('integration', ['redis-server'], ['mongod', 'python3', 'php', 'curl', 'luacheck']),
  project('end-to-end', ['redis-server'], ['mongod', 'age', 'cc', 'prlimit']),
  project('browser', ['redis-server', 'chromium'], ['curl', 'prlimit']),
];

function bin(packageName: string, file: string): string {
  return path.join('node_modules', packageName, file);
}

function check(
  name: string,
  args: readonly string[],
  requires: readonly TestTool[] = [],
  more: NodeJS.ProcessEnv = {},
): Stage {
  return {
    name,
    requires,
    uses: [],
    isTestRun: false,
    run: async ({ env, slowdown, whileTestsRun }) => {
      const { code, output, durationMs } = await runNode(
        args,
        { ...env, ...more },
        { withinMs: CHECK_WITHIN_MS * slowdown, ...inBackground(whileTestsRun) },
      );
      return [
        { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [], durationMs, files: [], output },
      ];
    },
  };
}

const inBackground = (signal: AbortSignal | undefined): Pick<RunOptions, 'isInBackground' | 'signal'> => ({
  isInBackground: signal !== undefined,
  signal,
});

function project(name: string, requires: readonly TestTool[], uses: readonly TestTool[]): Stage {
  return { name, requires, uses, isTestRun: true, run: undefined };
}

/**
 * Runs the tests of some projects together. Only what runs in the background may run at the same time, because tests of
 * faults fail under a load that has the same priority.
 */
export async function runProjects(projects: readonly string[], context: StageContext): Promise<StageResult[]> {
  // Otherwise each worker of jest makes them. A failure is one of the tests that need them.
  if (context.filter === undefined && projects.includes('end-to-end'))
    await bundle(SERVICES.map(mainOf)).catch(() => undefined);
  return runJest(projects, TEST_WORKERS, [], context);
}

async function runJest(
  projects: readonly string[],
  workers: number,
  more: readonly string[],
  { env, filter, changedSince, slowdown, whileTestsRun, onFailure, onFile }: StageContext,
): Promise<StageResult[]> {
  const args = jestArguments({ projects, filter, changedSince, workers, slowdown, more });
  const files: FileResult[] = [];
  let isComplete = false;
  const onMessage = (message: unknown): number | undefined => {
    const { data } = jestMessage.safeParse(message);
    if (data === 'complete') {
      isComplete = true;
      return ENDS_WITHIN_MS;
    }
    if (data === undefined) return undefined;
    if ('text' in data) onFailure(data);
    else {
      files.push(data);
      onFile(data);
    }
    return undefined;
  };
  const { code, output, durationMs } = await runNode(args, env, {
    withinMs: TESTS_WITHIN_MS * slowdown,
    ...inBackground(whileTestsRun),
    onMessage,
  });
  const mayBeEmpty = filter !== undefined || changedSince !== undefined;
  return resultsByProject({ projects, mayBeEmpty, files, isComplete, exitCode: code, output, durationMs });
}
