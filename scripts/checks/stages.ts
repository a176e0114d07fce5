import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jestArguments } from './jest-arguments.ts';
import { readJestRun } from './jest-report.ts';
import type { StageResult } from './result.ts';
import { runNode } from './run-command.ts';

/** What the tests of a stage need besides node. */
export type Need = 'redis' | 'mongo' | 'chromium';

export interface StageContext {
  /** Includes the addresses of the started resources. */
  readonly env: NodeJS.ProcessEnv;
  /** Selects tests by path. */
  readonly filter: string | undefined;
  /** Selects tests that import a file changed since this commit. */
  readonly changedSince: string | undefined;
  /** How many times longer than usual the tests may take. */
  readonly slowdown: number;
}

export interface Stage {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly isTestRun: boolean;
  /** True if the stage uses all cores, so that no other stage may run at the same time. */
  readonly runsAlone: boolean;
  run(context: StageContext): Promise<StageResult>;
}

const CHECK_WITHIN_MS = 5 * 60_000;
const TESTS_WITHIN_MS = 10 * 60_000;
/** More workers than the two cores of a small machine, because tests mostly wait for processes and timeouts. */
const TEST_WORKERS = 4;
/** These tests start few processes, so more of them fit. */
const LIGHT_TEST_WORKERS = 5;
const CACHE = 'node_modules/.cache';
const OWN_SCRIPT = ['--conditions=@mailhook/source', '--import', 'tsx'];

/** In the order of their start. Stages that run side by side come first, the longest of them at the top. */
export const STAGES: readonly Stage[] = [
  check('lint', [
    bin('eslint', 'bin/eslint.js'),
    '--max-warnings',
    '0',
    '--cache',
    '--cache-location',
    `${CACHE}/eslint/`,
    '.',
  ]),
  tests(
    'core',
    [],
    [
      '--coverage',
      '--coverageReporters=text',
      '--coverageDirectory=coverage/core',
      '--collectCoverageFrom=packages/core/src/**/*.ts',
      '--collectCoverageFrom=!**/*.{test,suite}.ts',
      `--coverageThreshold=${JSON.stringify({ global: { branches: 100 } })}`,
    ],
    1,
  ),
  check('types', [bin('typescript', 'bin/tsc'), '-p', 'tsconfig.check.json']),
  check('format', [
    bin('prettier', 'bin/prettier.cjs'),
    '--check',
    '--log-level',
    'warn',
    '--cache',
    '--cache-location',
    `${CACHE}/prettier/.prettier-cache`,
    '.',
  ]),
  check('architecture', [
    bin('dependency-cruiser', 'bin/dependency-cruise.mjs'),
    '--output-type',
    'err',
    'packages',
    'services',
    'scripts',
  ]),
  check('docs', [...OWN_SCRIPT, 'scripts/docs/check.ts']),
  // The stage `types` checks the same files.
  check('build', [bin('typescript', 'bin/tsc'), '-b', '--noCheck']),
  tests('unit', ['redis', 'mongo'], [], LIGHT_TEST_WORKERS),
  tests('integration', ['redis', 'mongo'], [], LIGHT_TEST_WORKERS),
  tests('end-to-end', ['redis', 'mongo'], []),
  tests('browser', ['redis', 'chromium'], []),
];

function bin(packageName: string, file: string): string {
  return path.join('node_modules', packageName, file);
}

function check(name: string, args: readonly string[]): Stage {
  return {
    name,
    needs: [],
    isTestRun: false,
    runsAlone: false,
    run: async ({ env }) => {
      const { code, output, durationMs } = await runNode(args, env, CHECK_WITHIN_MS);
      return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [], durationMs, output };
    },
  };
}

function tests(name: string, needs: readonly Need[], more: readonly string[], workers = TEST_WORKERS): Stage {
  return {
    name,
    needs,
    isTestRun: true,
    runsAlone: workers > 1,
    run: async ({ env, filter, changedSince, slowdown }) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-tests-'));
      const reportFile = path.join(folder, 'report.json');
      const args = jestArguments({ project: name, filter, changedSince, workers, reportFile, slowdown, more });
      try {
        const { code, output, durationMs } = await runNode(args, env, TESTS_WITHIN_MS * slowdown);
        return readJestRun({
          stage: name,
          mayBeEmpty: filter !== undefined || changedSince !== undefined,
          report: readJson(reportFile),
          exitCode: code,
          output: withoutJson(output),
          durationMs,
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Removes the line with which jest confirms its report file. The rest is for a person. */
const withoutJson = (output: string): string => output.replace(/^Test results written to: .*$/m, '').trim();

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
