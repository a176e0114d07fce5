import { jestArguments } from './jest-arguments.ts';
import { resultsByProject } from './jest-results.ts';
import { slowestFiles, totalsLine, totalsOf } from './result.ts';

const result = (passed: number, failed: number) => ({
  name: 's',
  passed,
  failed,
  skipped: [],
  durationMs: 1,
  files: [],
  output: '',
});
const file = (passed: number, failed = 0, skipped: string[] = [], project = 'unit') => ({
  project,
  path: `${project}.test.ts`,
  durationMs: 100 + passed,
  passed,
  failed,
  skipped,
});
const BASE = { isComplete: true, mayBeEmpty: false, output: 'said', durationMs: 5, exitCode: 0 };
const run = (files: ReturnType<typeof file>[], exitCode: number | null, mayBeEmpty = false) =>
  resultsByProject({ ...BASE, projects: ['unit', 'browser'], mayBeEmpty, files, exitCode });

describe('totals', () => {
  test('are plain when nothing is skipped', () => {
    expect(totalsLine(totalsOf([result(3, 0), result(1, 2)], 0, false))).toBe('4 passed, 2 failed');
  });
  test('include skips', () => {
    expect(totalsLine(totalsOf([result(3, 0)], 1, false))).toBe('3 passed, 0 failed, 1 skipped');
  });
  test('count skips as failures in CI', () => {
    expect(totalsLine(totalsOf([result(3, 0)], 2, true))).toBe('3 passed, 2 failed');
  });
});

describe('a run of jest', () => {
  const browser = file(7, 0, [], 'browser');
  test('is counted by project, and its output belongs to the first one that failed', () => {
    const path = 'unit.test.ts';
    const files = [105, 102].map((durationMs) => ({ path, durationMs }));
    const ofBrowser = [{ path: 'browser.test.ts', durationMs: 107 }];
    expect(run([file(5, 0, ['a']), browser, file(2, 0, ['b'])], 0)).toEqual([
      { name: 'unit', passed: 7, failed: 0, skipped: ['a', 'b'], durationMs: undefined, files, output: 'said' },
      { name: 'browser', passed: 7, failed: 0, skipped: [], durationMs: undefined, files: ofBrowser, output: '' },
    ]);
    expect(slowestFiles(run([file(5), browser, file(2)], 0), 2)).toEqual([...ofBrowser, files[0]]);
    expect(run([file(5), file(6, 1, [], 'browser')], 1)).toMatchObject([
      { failed: 0, output: '' },
      { failed: 1, output: 'said' },
    ]);
  });
  test('has a duration if it has a single project', () => {
    expect(resultsByProject({ ...BASE, projects: ['unit'], files: [file(1)] })).toMatchObject([{ durationMs: 5 }]);
  });
  test.each([[1], [null]])('that ends with %s although all tests passed has failed', (exitCode) => {
    expect(run([file(5), browser], exitCode)).toMatchObject([{ passed: 5, failed: 1 }, { failed: 0 }]);
  });
  test.each([
    [0, file(5), 1],
    [null, file(5, 1), 2],
  ])('that ends with %s before all files are done has one failure more', (exitCode, one, failed) => {
    const early = { ...BASE, isComplete: false, projects: ['unit'], files: [one], exitCode };
    const [result] = resultsByProject(early);
    expect(result).toMatchObject({ passed: 5, failed });
    expect(result?.output).toContain('jest ended before all test files were done');
  });
  test('without tests of a project has failed, unless a filter selected them', () => {
    expect(run([browser], 0)).toMatchObject([{ failed: 1 }, { failed: 0 }]);
    expect(run([browser], 0, true)).toMatchObject([{ failed: 0 }, { failed: 0 }]);
    expect(run([], 1)).toMatchObject([{ failed: 1 }, { failed: 1 }]);
  });
  test('in which all tests of a project are skipped lists the skips', () => {
    expect(run([file(0, 0, ['a']), browser], 0)).toMatchObject([{ failed: 0, skipped: ['a'] }, {}]);
  });
});

describe('the arguments for jest', () => {
  const argumentsWith = (filter: string | undefined, changedSince?: string) =>
    jestArguments({
      projects: ['unit'],
      filter,
      changedSince,
      workers: 1,
      slowdown: 1,
      more: ['--coverage'],
    });
  test('let a stage without tests pass only with a selection', () => {
    expect(argumentsWith(undefined)).not.toContain('--passWithNoTests');
    expect(argumentsWith('mailbox')).toContain('--passWithNoTests');
    expect(argumentsWith(undefined, 'HEAD')).toContain('--passWithNoTests');
  });
  test('include the filter, the commit, or the options for runs of all tests', () => {
    expect(argumentsWith(undefined).slice(-1)).toEqual(['--coverage']);
    expect(argumentsWith('mailbox').slice(-2)).toEqual(['--testPathPatterns', 'mailbox']);
    expect(argumentsWith(undefined, 'HEAD').slice(-2)).toEqual(['--changedSince', 'HEAD']);
    expect(argumentsWith(undefined, 'HEAD')).not.toContain('--coverage');
  });
});
