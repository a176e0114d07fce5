import { jestArguments } from './jest-arguments.ts';
import { readJestRun } from './jest-report.ts';
import { totalsLine, totalsOf } from './result.ts';

const result = (passed: number, failed: number, skipped: string[] = []) => ({
  name: 's',
  passed,
  failed,
  skipped,
  durationMs: 1,
  output: '',
});
const report = (passed: number, failed: number, brokenSuites: number, statuses: string[] = []) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numRuntimeErrorTestSuites: brokenSuites,
  testResults: [
    { name: 'a.test.ts', assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })) },
  ],
});
const run = (jestReport: unknown, exitCode: number | null, mayBeEmpty = false) =>
  readJestRun({ stage: 'unit', mayBeEmpty, report: jestReport, exitCode, output: 'said', durationMs: 5 });

describe('totals', () => {
  test('are plain when nothing is skipped', () => {
    expect(totalsLine(totalsOf([result(3, 0), result(1, 2)], false))).toBe('4 passed, 2 failed');
  });
  test('include skips', () => {
    expect(totalsLine(totalsOf([result(3, 0, ['a'])], false))).toBe('3 passed, 0 failed, 1 skipped');
  });
  test('count skips as failures in CI', () => {
    expect(totalsLine(totalsOf([result(3, 0, ['a', 'b'])], true))).toBe('3 passed, 2 failed');
  });
});

describe('a run of jest', () => {
  test('is counted', () => {
    expect(run(report(5, 1, 0, ['passed', 'failed']), 1)).toMatchObject({
      passed: 5,
      failed: 1,
      skipped: [],
      output: 'said',
    });
  });
  test('a suite that does not load is a failure', () => {
    expect(run(report(5, 0, 2), 1)).toMatchObject({ passed: 5, failed: 2 });
  });
  test('skipped and planned tests are listed', () => {
    expect(run(report(1, 0, 0, ['passed', 'pending', 'todo']), 0).skipped).toEqual([
      'test 1 (pending)',
      'test 2 (todo)',
    ]);
  });
  test.each([[1], [null]])('that ends with %s although all tests passed has failed', (exitCode) => {
    expect(run(report(5, 0, 0), exitCode)).toMatchObject({ passed: 5, failed: 1 });
  });
  test('without a report has failed', () => {
    expect(run(undefined, 1)).toMatchObject({ passed: 0, failed: 1 });
  });
  test('without tests has failed, unless a filter selected them', () => {
    expect(run(report(0, 0, 0), 0)).toMatchObject({ passed: 0, failed: 1 });
    expect(run(report(0, 0, 0), 0, true)).toMatchObject({ passed: 0, failed: 0 });
  });
  test('in which all tests are skipped lists the skips', () => {
    expect(run(report(0, 0, 0, ['pending']), 0)).toMatchObject({ failed: 0, skipped: ['test 0 (pending)'] });
  });
});

describe('the arguments for jest', () => {
  const argumentsWith = (filter: string | undefined, changedSince?: string) =>
    jestArguments({
      project: 'unit',
      filter,
      changedSince,
      workers: 1,
      reportFile: 'report.json',
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
