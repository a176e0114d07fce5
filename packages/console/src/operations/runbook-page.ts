import type { RequestHandler, Router } from 'express';
import { addRoute } from '@mailhook/platform/http-server';
import type { Guide, Guides } from '../guides/guides.ts';
import { RUNBOOK_PATH } from '../guides/guides.ts';
import { LIVE_SCRIPTS } from '../html/assets.ts';
import type { Assets } from '../html/assets.ts';
import { htmlDocument } from '../html/document.ts';
import { html } from '../html/markup.ts';
import { pageHeaders } from '../html/page-headers.ts';
import { operationsShell, preferences } from './document.ts';

interface RunbookDeps {
  readonly guides: Pick<Guides, 'runbook'>;
  readonly assets: Assets;
}

/** Adds the runbook for operators. Every alert links to its entry there. */
export function addRunbookRoute(app: Router, basicAuth: RequestHandler, { guides, assets }: RunbookDeps): void {
  const show: RequestHandler = (_request, response) => {
    response.set({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    response.end(runbookDocument(assets.urls, guides.runbook));
  };
  addRoute(app, RUNBOOK_PATH, { get: [pageHeaders({ strictTransportSecurity: false }), basicAuth, show] });
}

/** The runbook with an index of its entries. */
const runbookDocument = (urls: Assets['urls'], runbook: Guide): string =>
  htmlDocument(urls, {
    title: `${runbook.title} · Mailhook`,
    sheets: [urls['settings.css'], urls['guides.css'], urls['operations.css']],
    scripts: LIVE_SCRIPTS,
    body: operationsShell(
      urls,
      'runbook',
      html`<main id="main" data-signed-in>
        <div class="indexed">
          <nav class="index" aria-label="Entries">
            <ul>
              ${runbook.headings.map(
                ({ id, text, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`,
              )}
            </ul>
          </nav>
          <div class="guide">${runbook.html}</div>
        </div>
        ${preferences}
      </main>`,
    ),
  });
