import { receiverCheckInput } from './receiver-check.ts';

const address = 'https://example.com/';

const pathsOf = (input: object): string[] =>
  (receiverCheckInput.safeParse(input).error?.issues ?? []).map(({ path }) => path.join('.'));

test.each<[object, readonly string[]]>([
  [{ destination: 'campaign' }, []],
  [{ address, kind: 'campaign' }, []],
  [{ address, kind: 'campaign', shape: 'batch', version: 1 }, []],
  [{ address, kind: 'transactional', shape: 'array' }, []],
  [{}, ['address', 'kind']],
  [{ kind: 'campaign', version: 1 }, ['address']],
  [{ address, shape: 'single', version: 1 }, ['kind']],
  [{ destination: 'campaign', address, shape: 'array' }, ['address', 'shape']],
  [{ address, kind: 'campaign', shape: 'array', version: 1 }, ['shape']],
])('the check of %j is refused at %j', (input, paths) => {
  expect(pathsOf(input)).toEqual(paths);
});
