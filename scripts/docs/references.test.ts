import { unknownPaths, unknownScripts } from './references.ts';

test('npm scripts that do not exist are found', () => {
  const text = '`npm ci && npm start`, `npm run doctor -- URL`, npm run docs:env, `npm run docter`, npm test';
  expect(unknownScripts(text, ['start', 'test', 'doctor', 'docs:env'])).toEqual(['npm run docter']);
});

test('paths that the API does not have are found, and beginnings of paths and variables are accepted', () => {
  const paths = ['/v3/events', '/v3/webhook/subscriptions/{id}'];
  const text =
    '"$BASE/v3/webhook/subscriptions/$ID" `/v3/webhook/...` /v3/events. /v3/webhook/subscription /v3/events/$ID';
  expect(unknownPaths(text, paths)).toEqual(['/v3/webhook/subscription', '/v3/events/$ID']);
});
