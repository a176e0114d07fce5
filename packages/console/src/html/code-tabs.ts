import { unseen } from './elements.ts';
import { markup } from './markup.ts';
import type { Content, Markup } from './markup.ts';

/** A program in one language. */
export interface Sample {
  /** Of the language. */
  readonly name: string;
  readonly code: string;
}

interface CodeTabsOptions {
  /** The start of the ids on the page. */
  readonly id: string;
  readonly legend: Content;
  readonly samples: readonly Sample[];
  /** What a screen reader says of a program, by its language. */
  readonly label: (name: string) => Content;
  /** The text of the button that copies it. */
  readonly copy: (name: string) => Content;
}

/** The same program in several languages, of which one is shown. Works without a script. */
export const codeTabs = ({ id, legend, samples, label, copy }: CodeTabsOptions): Markup =>
  markup`<fieldset class="tabs"><legend class="unseen">${legend}</legend>
${samples.map(
  ({ name }, i) =>
    markup`<input type="radio" name="${id}-language" id="${id}-${i}" data-language="${name}"${i === 0 && markup` checked`}><label for="${id}-${i}">${name}</label>`,
)}
${samples.map(
  ({ name, code }, i) =>
    markup`<div class="panel">${codeBlock({ id: `${id}-${i}-code`, label: label(name), copy: copy(name), code })}</div>`,
)}</fieldset>`;

interface CodeBlockOptions {
  readonly id: string;
  readonly label: Content;
  readonly copy: Content;
  readonly code: string;
}

/** A program with a button that copies it, which the page's script shows. */
export const codeBlock = ({ id, label, copy, code }: CodeBlockOptions): Markup =>
  markup`<button type="button" class="button quiet" data-copy="${id}" hidden>${copy}</button><pre tabindex="0" aria-label="${label}"><code id="${id}">${code}</code></pre>`;

/** The English text of a button that copies `what`. */
export const copyText = (what: string): Content => ['Copy', unseen(` the ${what}`)];
