import type { IconName } from './icons.ts';
import { icon } from './icons.ts';
import { html } from './markup.ts';
import type { Content, Markup } from './markup.ts';

export interface NavigationEntry {
  readonly url: string;
  readonly icon: IconName;
  readonly text: Content;
  readonly isCurrent: boolean;
  /** How many there are, if that is worth a look. */
  readonly count?: Content;
}

/** The entries of the navigation. A part of the page, because counts change. */
export const navigationList = (entries: readonly NavigationEntry[]): Markup =>
  html`<ul id="navigation" data-part>
    ${entries.map(
      (one) =>
        html`<li>
          <a href="${one.url}" ${one.isCurrent && html`aria-current="page"`}
            >${icon(one.icon)}<span>${one.text}</span>${one.count}</a
          >
        </li>`,
    )}
  </ul>`;

interface ShellOptions {
  /** The text of the link that skips the navigation. */
  readonly skip: Content;
  readonly brand: Content;
  readonly brandUrl: string;
  readonly place: string;
  /** The right side of the head. */
  readonly tools: Content;
  readonly navigationLabel: Content;
  readonly navigation: Markup;
  /** The element `main` with the id `main`. */
  readonly main: Markup;
}

/** The frame of the pages: a head, a navigation at the left, and the content. */
export const shell = (options: ShellOptions): Markup =>
  html`<body>
    <a class="skip" href="#main">${options.skip}</a>
    <header class="top">
      <a class="brand" href="${options.brandUrl}">${options.brand}</a
      ><span class="account" title="${options.place}">${options.place}</span> ${options.tools}
    </header>
    <div class="layout">
      <nav aria-label="${options.navigationLabel}">${options.navigation}</nav>
      ${options.main}
    </div>
  </body>`;
