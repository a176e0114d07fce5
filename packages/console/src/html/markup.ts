/** Text that is already HTML. Only `markup` and `trustedHtml` create it, so all other text is escaped. */
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
 * Template tag for HTML. It escapes inserted text, which is then safe between tags and in quoted attributes. Only the
 * output of this tag stays HTML. `undefined` and `false` insert nothing, and a list inserts its members in order.
 */
export const markup = (strings: TemplateStringsArray, ...values: readonly Content[]): Markup =>
  new Markup(strings.map((text, i) => text + rendered(values[i])).join(''));

/** Marks the output of a renderer that escapes text itself as HTML. */
export const trustedHtml = (html: string): Markup => new Markup(html);
