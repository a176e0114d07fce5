import { unknownCommands, unknownFiles, unknownPaths, unknownScripts } from './references.ts';

test('npm scripts that do not exist are found', () => {
  const text = '`npm ci && npm start`, `npm run listen -- URL`, npm run all:docs, `npm run lisen`, npm test';
  expect(unknownScripts(text, ['start', 'test', 'listen', 'all:docs'])).toEqual(['npm run lisen']);
});

test('commands that do not exist are found', () => {
  const text = '`npx mailhook doctor URL`, `npx mailhook docter`, npx mailhook --help';
  expect(unknownCommands(text, ['doctor'])).toEqual(['npx mailhook docter']);
});

test('paths that the API does not have are found, and beginnings of paths and variables are accepted', () => {
  const paths = ['/v3/events', '/v3/webhook/subscriptions/{id}'];
  const text =
    '"$BASE/v3/webhook/subscriptions/$ID" `/v3/webhook/...` /v3/events. /v3/webhook/subscription /v3/events/$ID';
  expect(unknownPaths(text, paths)).toEqual(['/v3/webhook/subscription', '/v3/events/$ID']);
});

test('files that do not exist are found by the end of their path, with placeholders, and folders too', () => {
  const files = ['packages/core/src/domain/outcome.ts', 'services/api/src/main.ts', 'services/api/src/store/keys.ts'];
  const text =
    '`core/src/domain/outcome.ts` `outcome.ts` `core/domain/outcome` `services/*/src/main.ts` `api/src/store` `come.ts` ' +
    '`core/src/outcom.ts` `POST /v3/events` `npm test` `domain/none` `QUEUE_PREFIX:a:*` `stack-trace.ts (why)`';
  expect(unknownFiles(text, files)).toEqual(['come.ts', 'core/src/outcom.ts', 'domain/none']);
});
