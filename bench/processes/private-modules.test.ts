import { existsSync, readFileSync } from 'node:fs';
import { PRIVATE_MODULES } from './private-modules.ts';

const USED = [
  'ChunkBuilder',
  'createTakeEvents',
  'createIntakeMetrics',
  'createPublicListener',
  'createAuthenticate',
  'createRequestObserver',
];

test('every private module that the baselines import by path exists, and exports what they use', () => {
  const sources = PRIVATE_MODULES.map((file) => file.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  expect(sources.filter((file) => !existsSync(file))).toEqual([]);
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  expect(USED.filter((name) => !new RegExp(`^export (class|function|const) ${name}\\b`, 'm').test(text))).toEqual([]);
});
