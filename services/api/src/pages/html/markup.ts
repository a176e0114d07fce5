/** Text that is HTML already: made by `markup` alone, so that everything else is escaped. */
export class Markup {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

export type Content = Markup | string | number | false | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function rendered(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Markup) return content.toString();
  return Array.isArray(content) ? content.map(rendered).join('') : escaped(String(content));
}

/**
 * Tag of templates that are HTML. Whatever is put in is text, and safe between tags and in quoted attributes; only what this tag made
 * stays HTML. `undefined` and `false` are nothing, lists are their members one after the other.
 */
export const markup = (strings: TemplateStringsArray, ...values: readonly Content[]): Markup =>
  new Markup(strings.map((text, i) => text + rendered(values[i])).join(''));
