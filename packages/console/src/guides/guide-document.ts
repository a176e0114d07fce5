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
        <nav class="grouped" aria-label="Guides">
          <ul>
            ${pages.map(
              ({ url, title, group }, i) =>
                html`${group !== (pages[i - 1]?.group ?? '') && html`<li class="label">${group}</li>`}
                  <li><a href="${url}" ${url === guide.url && html`aria-current="page"`}>${title}</a></li>`,
            )}
          </ul>
        </nav>
        <main id="main" class="with-contents">
          <div class="guide">${guide.html}${pager(guide, pages)}</div>
          ${contents(guide)}
        </main>
      </div>`,
  );

const HEADINGS_MIN = 3;

/** The headings of a long guide. */
const contents = ({ headings }: Guide): Markup | false =>
  headings.length >= HEADINGS_MIN &&
  html`<nav class="contents" aria-label="On this page">
    <details>
      <summary>On this page</summary>
      <ul>
        ${headings.map(({ id, text, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`)}
      </ul>
    </details>
  </nav>`;

/** The guides before and after this one, in the order of the navigation. */
function pager({ url }: Guide, pages: readonly Guide[]): Markup {
  const at = pages.findIndex((page) => page.url === url);
  const link = (page: Guide | undefined, rel: string, name: string): Markup | false =>
    page !== undefined && html`<a href="${page.url}" rel="${rel}"><span>${name}</span> ${page.title}</a>`;
  return html`<nav class="pager" aria-label="Previous and next guide">
    ${link(pages[at - 1], 'prev', 'Previous:')} ${link(pages[at + 1], 'next', 'Next:')}
  </nav>`;
}

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
