import { parseAllDocuments } from 'yaml';

/** The contents of a YAML text. Scalars stay strings, so `'3000'` and `3000` are equal here. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

/** Reads the documents of a text. @throws the first fault if the text is not YAML or has a key twice. */
export function readYaml(text: string): Yaml[] {
  return [...parseAllDocuments(text, { merge: true, schema: 'failsafe' })].map((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return document.toJS() as Yaml;
  });
}

/** Returns the value at a path such as `spec.template.spec`, or undefined. */
export function at(value: Yaml | undefined, path: string): Yaml | undefined {
  return path
    .split('.')
    .reduce<Yaml | undefined>(
      (inner, key) => (isMap(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      value,
    );
}

/** Returns the string at a path, or ''. */
export function textAt(value: Yaml | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** Returns the items of the list at a path, or none. */
export function itemsAt(value: Yaml | undefined, path: string): readonly Yaml[] {
  const found = at(value, path);
  return isList(found) ? found : [];
}

/** Returns the map at a path, or an empty one. */
export function mapAt(value: Yaml | undefined, path: string): Readonly<Record<string, Yaml>> {
  const found = at(value, path);
  return isMap(found) ? found : {};
}

const isList = (value: Yaml | undefined): value is readonly Yaml[] => Array.isArray(value);
const isMap = (value: Yaml | undefined): value is Readonly<Record<string, Yaml>> =>
  typeof value === 'object' && !isList(value);
