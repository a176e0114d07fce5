import { createFileCheck, unknownCommands, unknownPaths, unknownScripts } from './references.ts';

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
    '`core/src/domain/outcome.ts` `outcome.ts` `core/domain/outcome` `services/*/src/main.ts` `api/src/store` ' +
    '`come.ts` `core/src/outcom.ts` `POST /v3/events` `npm test` `domain/none` `QUEUE_PREFIX:a:*` `stack-trace.ts ' +
    '(why)`';
  expect(createFileCheck(files)(text)).toEqual(['come.ts', 'core/src/outcom.ts', 'domain/none']);
});

test('paths from the root are found outside of code text too, and not in addresses, builds and media types', () => {
  const check = createFileCheck(['services/api/src/main.ts', 'docs/openapi.json']);
  expect(check('node services/api/dist/main.js < docs/openapi.json, see services/api/src/main.ts.')).toEqual([]);
  expect(check('https://host/docs/none `text/none` $BASE/docs/none `services/.../none.ts` `gcr.io/none`')).toEqual([]);
  expect(check('```sh\ncurl -d @docs/openapi.yaml\n```\nsee services/api/src/mein.ts.')).toEqual([
    'docs/openapi.yaml',
    'services/api/src/mein.ts',
  ]);
});
