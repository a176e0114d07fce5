import type { AssetName, Assets } from './assets.ts';
import { Localized, html } from './markup.ts';
import type { Content, Markup } from './markup.ts';
import { NOBODY } from './reader.ts';

interface DocumentOptions {
  readonly title: Content;
  /** Addresses of its style sheets. Default: that of the settings. */
  readonly sheets?: readonly string[];
  /** The first is loaded, the others are the modules that it imports. */
  readonly scripts?: readonly AssetName[];
  readonly body: Markup;
}

const LANGUAGE_OF_READER = new Localized(({ language }) => language);

/** A whole page. The font comes with the page, so that the text does not change its look. */
export const htmlDocument = (
  urls: Assets['urls'],
  { title, sheets = [urls['settings.css']], scripts = [], body }: DocumentOptions,
  reader = NOBODY,
): string =>
  html`<!doctype html>
    <html lang="${LANGUAGE_OF_READER}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${urls['icon.svg']}" type="image/svg+xml" />
        <link rel="preload" href="${urls['inter-latin.woff2']}" as="font" type="font/woff2" crossorigin />
        ${sheets.map((url) => html`<link rel="stylesheet" href="${url}" /> `)}${scripts.map((name, i) =>
          i === 0
            ? html`<script type="module" src="${urls[name]}"></script> `
            : html`<link rel="modulepreload" href="${urls[name]}" /> `,
        )}
      </head>
      ${body}
    </html> `.toString(reader);

/** The mark of Mailhook with its name. */
export const ownMark = (urls: Assets['urls']): Markup =>
  html`<img class="mark" src="${urls['icon.svg']}" alt="" />Mailhook`;

/** The head of a page of Mailhook itself: where one is, and what is near. */
export const ownHeader = (
  urls: Assets['urls'],
  place: string,
  links: readonly (readonly [url: string, text: Content, isCurrent?: boolean])[],
): Markup =>
  html`<header class="top">
    <span class="brand">${ownMark(urls)}</span><span class="account">${place}</span>
    <nav aria-label="Elsewhere">
      ${links.map(
        ([url, text, isCurrent]) =>
          html`<a href="${url}" ${isCurrent === true && html`aria-current="page"`}>${text}</a>`,
      )}
    </nav>
  </header>`;
