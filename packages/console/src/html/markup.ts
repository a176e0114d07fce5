import { NOBODY } from './reader.ts';
import type { Reader } from './reader.ts';

/**
 * HTML, with the texts of each reader: it becomes text when a document is written. Only `html` and `trustedHtml`
 * create it, so all other text is escaped.
 */
export class Markup {
  readonly #strings: readonly string[];
  readonly #values: readonly Content[];
  constructor(strings: readonly string[], values: readonly Content[]) {
    this.#strings = strings;
    this.#values = values;
  }
  toString(reader = NOBODY): string {
    let text = this.#strings[0] ?? '';
    for (let i = 0; i < this.#values.length; i += 1) {
      text += rendered(this.#values[i], reader) + (this.#strings[i + 1] ?? '');
    }
    return text;
  }
}

/** Content that depends on the reader: a message, a number, a time. */
export class Localized {
  readonly of: (reader: Reader) => Content;
  constructor(of: (reader: Reader) => Content) {
    this.of = of;
  }
}

export type Content = Markup | Localized | string | number | false | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const isList = (content: Content): content is readonly Content[] => Array.isArray(content);

function rendered(content: Content, reader: Reader): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Markup) return content.toString(reader);
  if (content instanceof Localized) return rendered(content.of(reader), reader);
  if (isList(content)) return content.map((one) => rendered(one, reader)).join('');
  return escaped(String(content));
}

/**
 * Template tag for HTML. It escapes inserted text, which is then safe between tags and in quoted attributes. Only the
 * output of this tag stays HTML. `undefined` and `false` insert nothing, and a list inserts its members in order.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const known = WRITTEN.get(strings) ?? withoutIndentation(strings);
  WRITTEN.set(strings, known);
  return new Markup(known, values);
}

/** Elements at whose edges no reader sees a space, outside or inside. */
const BLOCKS =
  'html|head|body|title|meta|link|script|main|nav|header|footer|section|div|p|ul|ol|li|dl|dt|dd|table|caption|thead|' +
  'tbody|tr|th|td|form|fieldset|legend|details|summary|dialog|figure|figcaption|pre|option|svg|h[1-6]';
const INDENTATION: readonly (readonly [RegExp, string])[] = [
  [/\s*\n\s*(?=\/?>)/g, ''],
  [new RegExp(`(</?(?:${BLOCKS})\\b[^<>]*>|<(?:button|select)\\b[^<>]*>)\\s*\\n\\s*`, 'g'), '$1'],
  [new RegExp(`\\s*\\n\\s*(?=</?(?:${BLOCKS})\\b|</(?:button|select)>)`, 'g'), ''],
  [/\s*\n\s*/g, ' '],
];
/** Stands for an inserted value. */
const VALUE = '\0';

/** In texts whose spaces are shown, they stay. */
function withoutIndentation(strings: readonly string[]): readonly string[] {
  if (strings.some((text) => /<(?:pre|textarea)\b/.test(text))) return strings;
  let whole = strings.join(VALUE);
  for (const [found, kept] of INDENTATION) whole = whole.replaceAll(found, kept);
  return whole.split(VALUE);
}

/** Templates without the indentation of their source, which no reader sees. */
const WRITTEN = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Marks the output of a renderer that escapes text itself as HTML. */
export const trustedHtml = (text: string): Markup => new Markup([text], []);
