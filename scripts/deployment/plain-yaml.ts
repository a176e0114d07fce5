/** What a YAML text holds. Scalars stay text: `'3000'` and `3000` are the same here. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/**
 * The documents of a text in the plain part of YAML that our deployment files keep to: nested maps and lists, one plain or quoted
 * scalar a line, comments, and `{}`. It throws, naming the line, at everything else (tabs, anchors, flow collections, blocks of text), so that
 * nothing is misread in silence.
 */
export function readPlainYaml(text: string): Yaml[] {
  const documents: Line[][] = [[]];
  text.split('\n').forEach((line, index) => {
    if (line.trimEnd() === '---') documents.push([]);
    else if (/^\s*(#|$)/.test(line)) return;
    else documents.at(-1)?.push(lineOf(line, index + 1));
  });
  return documents.filter((lines) => lines.length > 0).map(readDocument);
}

function lineOf(line: string, number: number): Line {
  const text = line.trimStart();
  if (/^ *\t/.test(line)) throw new Error(`line ${number}: a tab indents it`);
  return { number, indent: line.length - text.length, text: text.trimEnd() };
}

function readDocument(lines: Line[]): Yaml {
  const rest = [...lines];
  const value = readBlock(rest, 0);
  const [left] = rest;
  if (left !== undefined) throw new Error(`line ${left.number}: its indentation fits nothing above`);
  return value;
}

/** Takes from `lines` the block that begins with the first of them. */
function readBlock(lines: Line[], leastIndent: number): Yaml {
  const [first] = lines;
  if (first === undefined || first.indent < leastIndent) {
    throw new Error(`a value is missing ${first === undefined ? 'at the end' : `above line ${first.number}`}`);
  }
  return isItem(first) ? readList(lines, first.indent) : readMap(lines, first.indent);
}

function readList(lines: Line[], indent: number): Yaml[] {
  const items: Yaml[] = [];
  for (let line = lines[0]; line?.indent === indent && isItem(line); line = lines[0]) {
    const text = line.text.slice(1).trimStart();
    lines.shift();
    const isMap = ENTRY.test(text);
    // A map in a list begins on the dash's line: read it as if it stood on its own.
    if (isMap) lines.unshift({ number: line.number, indent: indent + line.text.length - text.length, text });
    items.push(isMap ? readBlock(lines, indent + 1) : scalar(text, line.number));
  }
  return items;
}

function readMap(lines: Line[], indent: number): Record<string, Yaml> {
  const map = new Map<string, Yaml>();
  for (let line = lines[0]; line?.indent === indent && !isItem(line); line = lines[0]) {
    const [, key = '', text = ''] = ENTRY.exec(line.text) ?? fail(line, 'it is no entry of a map');
    if (map.has(key)) fail(line, `${key} is there twice`);
    lines.shift();
    const hasOwnValue = text !== '' && !text.startsWith('#');
    map.set(key, hasOwnValue ? scalar(text, line.number) : readBlock(lines, indent + 1));
  }
  return Object.fromEntries(map);
}

const ENTRY = /^([\w./-]+):(?: +(.*))?$/;
const isItem = ({ text }: Line): boolean => text === '-' || text.startsWith('- ');

function fail(line: Line, fault: string): never {
  throw new Error(`line ${line.number}: ${fault}: ${line.text}`);
}

function scalar(text: string, number: number): Yaml {
  if (text === '{}') return {};
  const quoted = /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll("''", "'");
  const plain = text.replace(/\s+#.*$/, '');
  if (plain === '' || /^(?:[-?:](?:\s|$)|[,[\]{}#&*!|>'"%@`])|: |:$/.test(plain)) {
    throw new Error(`line ${number}: not in the plain part of YAML that is read here: ${text}`);
  }
  return plain;
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
