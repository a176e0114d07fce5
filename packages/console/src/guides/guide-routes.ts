import type { RequestHandler, Response, Router } from 'express';
import { addRoute, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { Assets } from '../html/assets.ts';
import { pageHeaders } from '../html/page-headers.ts';
import { guideDocument } from './guide-document.ts';
import type { Guides } from './guides.ts';
import { GUIDES_PATH } from './guides.ts';

interface GuideDeps {
  readonly guides: Guides;
  readonly assets: Assets;
}

/** Adds the guides for customers, and the code that they show as files. Everybody may read them. */
export function addGuideRoutes(app: Router, { guides, assets }: GuideDeps): void {
  const show: RequestHandler = (request, response) => {
    const page = guides.pages.find(({ url }) => url === request.path.replace(/\/$/, ''));
    sendText(response, 'text/html', page && guideDocument(assets.urls, page, guides.pages));
  };
  const receiver: RequestHandler = (request, response) =>
    sendText(response, 'text/plain', guides.receivers.get(pathParameter(request, 'file')));
  addRoute(app, [GUIDES_PATH, `${GUIDES_PATH}/:name`], { get: [pageHeaders(), show] });
  addRoute(app, `${GUIDES_PATH}/receivers/:file`, { get: [pageHeaders(), receiver] });
}

function sendText(response: Response, type: 'text/html' | 'text/plain', text: string | undefined): void {
  if (text === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
  response.set({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }).end(text);
}
