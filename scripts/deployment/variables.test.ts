import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describeEnvironment, FILE_VARIABLES, fileVariable, KNOWN_VARIABLES } from '@mailhook/platform/config';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import { startEnvironment } from '../stack/settings.ts';

test('the known variables for files are those of the variables that may come from a file', () => {
  const marked = [api, campaignBatcher, transactionalNotifier, startEnvironment].flatMap((shape) =>
    describeEnvironment(shape).flatMap(({ name, fromFile }) => (fromFile ? [fileVariable(name)] : [])),
  );
  expect([...FILE_VARIABLES].sort()).toEqual([...new Set(marked)].sort());
});

test('the known variables are those that the services and npm start read, and the one that npm start sets', () => {
  const read = [api, campaignBatcher, transactionalNotifier, startEnvironment].flatMap((shape) => Object.keys(shape));
  expect([...KNOWN_VARIABLES].sort()).toEqual([...new Set([...read, 'MAILHOOK_SUPERVISED'])].sort());
});

test.each([
  ['services/api', api],
  ['services/campaign-batcher', campaignBatcher],
  ['services/transactional-notifier', transactionalNotifier],
])('%s uses every variable that it declares', (service, environment) => {
  const code = [service, 'packages'].flatMap(sourcesIn).map((file) => readFileSync(file, 'utf8'));
  const isUsed = (name: string): boolean => {
    const use = new RegExp(`\\.${name}\\b|\\b${name}\\b[^;={}]*\\}(: Config| = config)\\b`);
    return code.some((text) => use.test(text));
  };
  expect(Object.keys(environment).filter((name) => !isUsed(name))).toEqual([]);
});

/** The source files of a folder, without those of tests. */
const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)src\/.*\.ts$/.test(file) && !/node_modules|\.(test|suite)\.ts$/.test(file))
    .map((file) => path.join(folder, file));
