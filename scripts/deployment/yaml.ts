import { parseAllDocuments } from 'yaml';

/** What a YAML text holds. Scalars stay text: `'3000'` and `3000` are the same here. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

/** The documents of a text. @throws the first fault of a text that is no YAML, or has a key twice. */
export function readYaml(text: string): Yaml[] {
  return [...parseAllDocuments(text, { schema: 'failsafe' })].map((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return document.toJS() as Yaml;
  });
}

/** What is at a path such as `spec.template.spec`; undefined where there is nothing. */
export function at(value: Yaml | undefined, path: string): Yaml | undefined {
  return path
    .split('.')
    .reduce<Yaml | undefined>(
      (inner, key) => (isMap(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      value,
    );
}

/** The text there; '' where there is none. */
export function textAt(value: Yaml | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** The items of the list there; none where there is no list. */
export function itemsAt(value: Yaml | undefined, path: string): readonly Yaml[] {
  const found = at(value, path);
  return isList(found) ? found : [];
}

/** The map there; an empty one where there is none. */
export function mapAt(value: Yaml | undefined, path: string): Readonly<Record<string, Yaml>> {
  const found = at(value, path);
  return isMap(found) ? found : {};
}

const isList = (value: Yaml | undefined): value is readonly Yaml[] => Array.isArray(value);
const isMap = (value: Yaml | undefined): value is Readonly<Record<string, Yaml>> =>
  typeof value === 'object' && !isList(value);
