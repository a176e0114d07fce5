import type { Request, RequestHandler } from 'express';
import { texts } from '../messages/texts.ts';
import type { Assets } from '../html/assets.ts';
import { htmlDocument } from '../html/document.ts';
import { masked } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Content } from '../html/markup.ts';
import type { Reader } from '../html/reader.ts';
import { sendHtml } from '../html/send-html.ts';

interface NotFoundDeps {
  readonly urls: Assets['urls'];
  readonly headers: RequestHandler;
  readonly mark: Content;
  /** The name in the window's title. */
  readonly name: string;
  readonly links: readonly (readonly [url: string, text: Content])[];
  readonly readerOf: (request: Request) => Reader;
}

/** The page for unknown addresses. It needs no sign-in, so it reveals nothing but its links. */
export const notFoundPage =
  ({ urls, headers, mark, name, links, readerOf }: NotFoundDeps): RequestHandler =>
  (request, response) => {
    const reader = readerOf(request);
    const path = html`<code>${masked(request.originalUrl.split('?', 1)[0]?.slice(0, 200) ?? '')}</code>`;
    const body = html`<body class="sign-in">
      <main class="card" id="main">
        <p class="brand">${mark}</p>
        <h1>${texts.shell.noSuchPage}</h1>
        <p class="lead">${texts.shell.nothingAt({ path })}</p>
        <p class="actions">${links.map(([url, text]) => html`<a class="button quiet" href="${url}">${text}</a>`)}</p>
      </main>
    </body>`;
    const document = htmlDocument(urls, { title: [texts.shell.noSuchPage, ' · ', name], body }, reader);
    headers(request, response, () => sendHtml(response.set('cache-control', 'no-store'), reader, 404, document));
  };
