import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, read, readYaml } from './deployed.suite.ts';
import { at, mapAt } from './yaml.ts';

const FOLDER = '.github/workflows';

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

  test('runs only npm scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const asked = [...read(file).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script = '']) => script);
    expect(asked.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});
