import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The parts of jest's JSON report that this test reads. */
interface JestReport {
  readonly testResults: { readonly assertionResults: { readonly title: string; readonly status: string }[] }[];
}

/** What it does to the process would change the results of the next file. */
const FILE = `
  const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
  test('an error that nobody catches', async () => { setTimeout(() => { throw new Error('late') }, 5); await wait(); });
  test('a rejection that nobody handles', async () => { void Promise.reject(new Error('late')); await wait(); });
  test('longer than the time limit of the other file', wait);
  test('longer than its own time limit, if the machine were not slower', wait, 25);
  describe('a block', () => { beforeAll(wait, 25); test('with a hook like that', () => {}); });
  afterAll(() => jest.setTimeout(1));`;
const RESULTS = [
  ['an error that nobody catches', 'failed'],
  ['a rejection that nobody handles', 'failed'],
  ['longer than the time limit of the other file', 'passed'],
  ['longer than its own time limit, if the machine were not slower', 'passed'],
  ['with a hook like that', 'passed'],
];

test('a test file is not affected by those before it in the process, and its time limits grow', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-environment-'));
  try {
    for (const name of ['a.test.js', 'b.test.js']) writeFileSync(path.join(folder, name), FILE);
    const config = {
      rootDir: folder,
      runtime: path.resolve('scripts/checks/jest-runtime.cjs'),
      testEnvironment: path.resolve('scripts/checks/jest-environment.cjs'),
      transform: {},
    };
    const args = ['node_modules/jest/bin/jest.js', '--runInBand', '--json', '--config', JSON.stringify(config)];
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, TEST_SLOWDOWN: '100' },
    });
    const { testResults } = JSON.parse(stdout) as JestReport;
    const results = testResults.map(({ assertionResults }) =>
      assertionResults.map(({ title, status: end }) => [title, end]),
    );
    expect(results).toEqual([RESULTS, RESULTS]);
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
