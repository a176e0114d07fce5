import { createAdminDocument } from './admin-document.ts';
import { createApiDocument } from './document.ts';
import type { ApiDocument } from './document.ts';

/** What generators of clients cannot read, or read wrongly. `scripts/examples/clients.test.ts` runs some of them. */
describe.each([
  ['public', createApiDocument()],
  ['admin', createAdminDocument()],
])('the %s document', (_name, document) => {
  const all = nodesOf(document);

  test('has no boolean constant, and no enum with values of several types', () => {
    const hasMixedTypes = (values: unknown) =>
      Array.isArray(values) && new Set(values.map((value) => typeof value)).size > 1;
    expect(wheresOf(all, ({ const: value }) => typeof value === 'boolean')).toEqual([]);
    expect(wheresOf(all, ({ enum: values }) => hasMixedTypes(values))).toEqual([]);
  });

  test('has no defaults in the bodies of requests, which would make their fields required', () => {
    const bodies = all.filter(({ where }) => where.endsWith('/requestBody')).map(({ value }) => value);
    const named = bodies.flatMap((body) => [...referredBy(body, document)]).map((ref) => at(document, ref));
    const inBodies = [...bodies, ...named].flatMap((body) => nodesOf(body));
    expect(inBodies.length).toBeGreaterThan(50);
    expect(wheresOf(inBodies, ({ default: value }) => value !== undefined)).toEqual([]);
  });

  test('has no schema that only its webhooks refer to, which some generators leave out', () => {
    const fromPaths = referredBy(document.paths, document);
    expect([...referredBy(document.webhooks, document)].filter((ref) => !fromPaths.has(ref))).toEqual([]);
  });

  test('says of each operation that it answers 431', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((item) => [
      item.get,
      item.put,
      item.post,
      item.delete,
    ]);
    const existing = operations.filter((one) => one !== undefined);
    expect(existing.length).toBeGreaterThan(20);
    expect(existing.filter(({ responses }) => responses?.['431'] === undefined)).toEqual([]);
  });
});

interface Node {
  readonly where: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every object and array of a document, but those in examples. */
function nodesOf(value: unknown, where = ''): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples');
  return [{ where, value: value as Node['value'] }, ...inner.flatMap(([key, one]) => nodesOf(one, `${where}/${key}`))];
}

const wheresOf = (nodes: readonly Node[], isFault: (value: Node['value']) => boolean): string[] =>
  nodes.filter(({ value }) => isFault(value)).map(({ where }) => where);

const at = (document: ApiDocument, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => Reflect.get(Object(value), step), document);

/** The references in a part of a document, and those in what they refer to. */
function referredBy(part: unknown, document: ApiDocument, known = new Set<string>()): Set<string> {
  for (const { value } of nodesOf(part)) {
    const { $ref: ref } = value;
    if (typeof ref !== 'string' || known.has(ref)) continue;
    known.add(ref);
    referredBy(at(document, ref), document, known);
  }
  return known;
}
