import { unseen } from './elements.ts';
import { html } from './markup.ts';
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
export function codeTabs({ id, legend, samples, label, copy }: CodeTabsOptions): Markup {
  const choice = ({ name }: Sample, i: number): Markup => {
    const checked = i === 0 && html` checked`;
    const attributes = html`id="${id}-${i}" data-language="${name}"${checked}`;
    return html`<input type="radio" name="${id}-language" ${attributes} /><label for="${id}-${i}">${name}</label>`;
  };
  const panel = ({ name, code }: Sample, i: number): Markup => {
    const block = codeBlock({ id: `${id}-${i}-code`, label: label(name), copy: copy(name), code });
    return html`<div class="panel">${block}</div>`;
  };
  return html`<fieldset class="tabs">
    <legend class="unseen">${legend}</legend>
    ${samples.map(choice)} ${samples.map(panel)}
  </fieldset>`;
}

interface CodeBlockOptions {
  readonly id: string;
  readonly label: Content;
  readonly copy: Content;
  readonly code: string;
}

/** A program with a button that copies it, which the page's script shows. */
export const codeBlock = ({ id, label, copy, code }: CodeBlockOptions): Markup =>
  html`<button type="button" class="button quiet" data-copy="${id}" hidden>${copy}</button>
    <pre tabindex="0" aria-label="${label}"><code id="${id}">${code}</code></pre>`;

/** The English text of a button that copies `what`. */
export const copyText = (what: string): Content => ['Copy', unseen(` the ${what}`)];
