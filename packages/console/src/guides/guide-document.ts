import type { Assets } from '../html/assets.ts';
import { htmlDocument, ownHeader } from '../html/document.ts';
import { html } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Guide } from './guides.ts';

/** A guide as an HTML page. Its script only copies code. `pages` are the guides in the navigation. */
export const guideDocument = (urls: Assets['urls'], guide: Guide, pages: readonly Guide[]): string =>
  frame(
    urls,
    guide,
    html`${ownHeader(urls, 'Guides', [
        ['/docs/guides', 'Guides', true],
        ['/docs', 'API'],
        ['/settings/webhooks', 'Settings'],
      ])}
      <div class="layout">
        <nav aria-label="Guides">
          <ul>
            ${pages.map(
              ({ url, title }) =>
                html`<li><a href="${url}" ${url === guide.url && html`aria-current="page"`}>${title}</a></li>`,
            )}
          </ul>
        </nav>
        <main id="main" class="with-contents">
          <div class="guide">${guide.html}</div>
          ${contents(guide)}
        </main>
      </div>`,
  );

const HEADINGS_MIN = 3;

/** The headings of a long guide. */
const contents = ({ headings }: Guide): Markup | false =>
  headings.length >= HEADINGS_MIN &&
  html`<nav class="contents" aria-label="On this page">
    <p>On this page</p>
    <ul>
      ${headings.map(({ id, text, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;

const frame = (urls: Assets['urls'], { title }: Guide, body: Markup): string =>
  htmlDocument(urls, {
    title: `${title} · Mailhook`,
    sheets: [urls['settings.css'], urls['guides.css']],
    scripts: ['copy-buttons.js', 'copy.js'],
    body: html`<body class="guides">
      <a class="skip" href="#main">Skip to the text</a>
      ${body}
    </body>`,
  });
