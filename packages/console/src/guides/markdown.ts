import { Marked } from 'marked';
import type { RendererObject, Token } from 'marked';
import { coloredCode } from '../html/code-colors.ts';
import { tabs } from '../html/code-tabs.ts';
import { unseen } from '../html/elements.ts';
import { html, trustedHtml } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

/** The id of a heading, as GitHub makes it, so that the same links work there and here. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The text of the first heading. */
export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

/** The languages of which a document has the same program one after another. The page shows it as tabs. */
const LANGUAGES: Readonly<Record<string, string>> = { js: 'Node', python: 'Python', php: 'PHP', go: 'Go' };
const isLanguage = (text: string): boolean => Object.values(LANGUAGES).includes(text);

/** The headings below the title, of up to the third depth. Those of tabs are left out. */
export const headingsOf = (text: string): readonly Heading[] =>
  [...text.matchAll(/^(##{1,2}) (.+)$/gm)]
    .filter(([, , heading = '']) => !isLanguage(heading))
    .map(([, marks = '', heading = '']) => ({
      id: headingId(heading),
      text: heading.replaceAll('`', ''),
      depth: marks.length,
    }));

/**
 * Renders a Markdown document of this repository. Raw HTML, comments and images are left out, so the result needs no
 * other files.
 *
 * @param linkTo returns the URL of a link's target, or undefined if the target is not served. The page then shows the
 * target as text.
 */
export function renderMarkdown(text: string, linkTo: (target: string) => string | undefined): Markup {
  const marked = new Marked({ gfm: true, renderer: createRenderer(linkTo) });
  return trustedHtml(withTabs(marked.lexer(text), (part) => marked.parser(part)));
}

/** The program in one language. */
interface Program {
  readonly name: string;
  readonly tokens: Token[];
  /** The index of what follows. */
  readonly end: number;
}

/** The program that begins here: code, or a heading that names the language, with all up to its code. */
function programAt(tokens: readonly Token[], at: number): Program | undefined {
  const first = tokens[at];
  const name = first?.type === 'code' ? LANGUAGES[String(first['lang'])] : undefined;
  if (first !== undefined && name !== undefined) return { name, tokens: [first], end: at + 1 };
  const text = first?.type === 'heading' ? String(first['text']) : '';
  const code = tokens.findIndex(({ type }, i) => i > at && (type === 'code' || type === 'heading'));
  if (!isLanguage(text) || tokens[code]?.type !== 'code') return undefined;
  return { name: text, tokens: tokens.slice(at + 1, code + 1), end: code + 1 };
}

/** The programs that follow each other from here, with nothing between them. */
function programsAt(tokens: readonly Token[], at: number): readonly Program[] {
  const found = programAt(tokens, at);
  if (found === undefined) return [];
  const next = tokens.findIndex(({ type }, i) => i >= found.end && type !== 'space' && type !== 'html');
  return [found, ...programsAt(tokens, next)];
}

function withTabs(tokens: readonly Token[], render: (part: Token[]) => string): string {
  let text = '';
  for (let at = 0; at < tokens.length;) {
    const programs = programsAt(tokens, at);
    const isOne = programs.length < 2;
    text += isOne
      ? render(tokens.slice(at, at + 1))
      : tabs(
          `languages-${at}`,
          'Language',
          programs.map(({ name, tokens: own }) => ({ name, content: trustedHtml(render(own)) })),
        ).toString();
    at = isOne ? at + 1 : (programs.at(-1)?.end ?? tokens.length);
  }
  return text;
}

/** Renders a text of one paragraph, with Markdown's marks in it. Links that are not absolute become text. */
export function renderInline(text: string): Markup {
  const marked = new Marked({ gfm: true, renderer: createRenderer(absoluteOnly) });
  return trustedHtml(marked.parseInline(text, { async: false }));
}

const absoluteOnly = (target: string): string | undefined => (/^(https?:|\/)/.test(target) ? target : undefined);

/** Tables scroll sideways, so they take the focus of the keyboard. Code has a button that copies it. */
function createRenderer(linkTo: (target: string) => string | undefined): RendererObject {
  let blocks = 0;
  return {
    html: () => '',
    image: () => '',
    heading({ tokens, depth, text }) {
      const id = headingId(text);
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text }) => {
      blocks += 1;
      const id = `code-${blocks}`;
      const copy = ['Copy', unseen(` code ${blocks}`)];
      return html`<div class="code">
        <button type="button" class="button quiet" data-copy="${id}" hidden>${copy}</button>
        <pre><code id="${id}">${coloredCode(text)}</code></pre>
      </div>`.toString();
    },
    link({ href, tokens }) {
      const text = trustedHtml(this.parser.parseInline(tokens));
      const url = linkTo(href);
      if (url !== undefined) return html`<a href="${url}">${text}</a>`.toString();
      return html`${text} (<code>${href.replace(/^(?:\.\.\/)+/, '')}</code> of the repository)`.toString();
    },
    table({ header, rows }) {
      const inline = ({ tokens }: (typeof header)[number]): Markup => trustedHtml(this.parser.parseInline(tokens));
      return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              ${header.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell, i) => html`<td data-name="${header[i]?.text}">${inline(cell)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`.toString();
    },
  };
}
