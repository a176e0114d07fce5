import { existsSync, readFileSync } from 'node:fs';
import type { AuthenticateDeps } from '../../services/api/src/auth/authenticate.ts';
import { knownProducer } from './known-producer.ts';
import { PRIVATE_MODULES } from './private-modules.ts';

const USED = [
  'ChunkBuilder',
  'createTakeEvents',
  'createIntakeMetrics',
  'createPublicListener',
  'createAuthenticate',
  'createRequestObserver',
  'startCloser',
];

test('every private module that the baselines import by path exists, and exports what they use', () => {
  const sources = PRIVATE_MODULES.map((file) => file.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  expect(sources.filter((file) => !existsSync(file))).toEqual([]);
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  expect(USED.filter((name) => !new RegExp(`^export (class|function|const) ${name}\\b`, 'm').test(text))).toEqual([]);
});

test('the only producer of the intake baseline signs in', () => {
  // The compiler checks that the api needs nothing else.
  const deps: AuthenticateDeps = knownProducer('token');
  expect([deps.producerTokens.findNow('token'), deps.producerTokens.findNow('other')]).toEqual([
    { token: 'bench', accounts: null },
    undefined,
  ]);
});
