import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, read, readYaml, textOf } from './deployed.suite.ts';
import type { Yaml } from './yaml.ts';
import { at, itemsAt, mapAt } from './yaml.ts';
import { COMMANDS } from '../commands.ts';
import { unknownCommands, unknownScripts } from '../docs/references.ts';

const FOLDER = '.github/workflows';
const rightsOf = (job: Yaml): Record<string, Yaml> =>
  at(job, 'permissions') === undefined ? {} : mapAt(job, 'permissions');
const runsOf = (job: Yaml): string[] => itemsAt(job, 'steps').map((step) => textOf(at(step, 'run')));

test('the release fails on a known vulnerability, before anything is published', () => {
  const [release] = readYaml(`${FOLDER}/release.yml`);
  expect(runsOf(at(release, 'jobs.check') ?? '')).toContain('npm audit --omit=dev --audit-level=high');
});

test('an installation by hand runs no script of a package either', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

describe.each(readdirSync(path.join(ROOT, FOLDER)))('the workflow %s', (name) => {
  const file = `${FOLDER}/${name}`;
  const [workflow] = readYaml(file);

  test('pins every action to a commit, and names its version for the bot', () => {
    const used = read(file).match(/uses: .*/g) ?? [];
    expect(used.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('gives no more than reading to a job that does not ask for it, and every job a time limit', () => {
    const rights = mapAt(workflow, 'permissions');
    expect([{}, { contents: 'read' }]).toContainEqual(rights);
    for (const job of Object.values(mapAt(workflow, 'jobs'))) expect(at(job, 'timeout-minutes')).toMatch(/^\d+$/);
  });

  test('installs packages without their scripts, and keeps no credentials of the checkout', () => {
    const installs = read(file).match(/npm (?:ci|install)\b.*/g) ?? [];
    expect(installs.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
    const checkouts = read(file).match(/uses: actions\/checkout@.*\n.*\n.*/g) ?? [];
    expect(checkouts.filter((lines) => !lines.includes('persist-credentials: false'))).toEqual([]);
  });

  test('runs no installed package in a job that may publish or sign', () => {
    const jobs = Object.entries(mapAt(workflow, 'jobs'));
    const publishing = jobs.filter(([, job]) => Object.values(rightsOf(job)).includes('write'));
    for (const [job, { steps }] of publishing.map(([name, job]) => [name, { steps: runsOf(job) }] as const))
      expect([job, steps.filter((run) => /npm (ci|install|run|exec|test)|npx/.test(run))]).toEqual([job, []]);
  });

  test('runs only commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(unknownScripts(read(file), Object.keys(scripts))).toEqual([]);
    expect(unknownCommands(read(file), Object.keys(COMMANDS))).toEqual([]);
  });
});
