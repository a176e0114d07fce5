import { coloredCode } from './code-colors.ts';
import { unseen } from './elements.ts';
import { html } from './markup.ts';
import type { Content, Markup } from './markup.ts';

/** A program in one language, or a text of one kind. */
export interface Sample<Name extends Content = string> {
  /** Of the language or the kind. */
  readonly name: Name;
  readonly code: string;
}

interface CodeTabsOptions<Name extends Content> {
  /** The start of the ids on the page. */
  readonly id: string;
  readonly legend: Content;
  readonly samples: readonly Sample<Name>[];
  /** What a screen reader says of a program, by its language. */
  readonly label: (name: Name) => Content;
  /** The text of the button that copies it. */
  readonly copy: (name: Name) => Content;
}

/** One of several texts, of which one is shown. */
interface Tab {
  readonly name: Content;
  readonly content: Content;
}

/** Works without a script. The first tab is open. */
export const tabs = (id: string, legend: Content, all: readonly Tab[]): Markup =>
  html`<fieldset class="tabs">
    <legend class="unseen">${legend}</legend>
    ${all.map(({ name }, i) => {
      const attributes = html`id="${id}-${i}" data-language="${name}"${i === 0 && html` checked`}`;
      return html`<input type="radio" name="${id}-language" ${attributes} /><label for="${id}-${i}">${name}</label>`;
    })}
    ${all.map(({ content }) => html`<div class="tab">${content}</div>`)}
  </fieldset>`;

/** The same program in several languages. */
export const codeTabs = <Name extends Content>(options: CodeTabsOptions<Name>): Markup => {
  const { id, legend, samples, label, copy } = options;
  const block = ({ name, code }: Sample<Name>, i: number): Markup =>
    codeBlock({ id: `${id}-${i}-code`, label: label(name), copy: copy(name), code });
  return tabs(
    id,
    legend,
    samples.map((sample, i) => ({ name: sample.name, content: block(sample, i) })),
  );
};

interface CodeBlockOptions {
  readonly id: string;
  readonly label: Content;
  readonly copy: Content;
  readonly code: string;
}

/** A program with a button that copies it, which the page's script shows. */
export const codeBlock = ({ id, label, copy, code }: CodeBlockOptions): Markup =>
  html`<button type="button" class="button quiet" data-copy="${id}" hidden>${copy}</button>
    <pre tabindex="0" aria-label="${label}"><code id="${id}">${coloredCode(code)}</code></pre>`;

/** The English text of a button that copies `what`. */
export const copyText = (what: string): Content => ['Copy', unseen(` the ${what}`)];
