import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { addRoute, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { Assets } from '../html/assets.ts';
import { pageHeaders } from '../html/page-headers.ts';
import type { OpenApi } from './openapi.ts';
import { groupsOf } from './openapi.ts';
import { REFERENCE_PATH } from '../guides/guides.ts';
import { groupDocument, overviewDocument } from './reference-document.ts';

/**
 * Adds `GET /openapi.json` and, for people, `GET /docs` with a page per group of operations. The pages are made for
 * their first request.
 */
export function addApiDocsRoutes(app: Express, document: () => object, { urls }: Pick<Assets, 'urls'>): void {
  let pages: ReadonlyMap<string, Page> | undefined;
  const send: RequestHandler = (request, response) => {
    pages ??= pagesOf(document() as OpenApi, urls);
    const page = pages.get(request.params['group'] === undefined ? '' : pathParameter(request, 'group'));
    if (page === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
    response.set('cache-control', 'no-cache').set('vary', 'accept-encoding').type('text/html');
    if (request.acceptsEncodings('gzip') === false) response.send(page.html);
    else response.set('content-encoding', 'gzip').send(page.compressed);
  };
  addRoute(app, '/openapi.json', { get: [sendJson(document)] });
  addRoute(app, [REFERENCE_PATH, `${REFERENCE_PATH}/:group`], { get: [pageHeaders(), send] });
}

/** The same for all readers and without secrets, so it may be compressed. */
interface Page {
  readonly html: string;
  readonly compressed: Buffer;
}

function pagesOf(document: OpenApi, urls: Assets['urls']): ReadonlyMap<string, Page> {
  const groups = groupsOf(document);
  const reference = { urls, document, groups };
  const pageOf = (html: string): Page => ({ html, compressed: gzipSync(html) });
  return new Map([
    ['', pageOf(overviewDocument(reference))],
    ...groups.map((group) => [group.slug, pageOf(groupDocument(reference, group))] as const),
  ]);
}

/** Adds the JSON Schemas of payloads, by file name, and the file `index` at the folder too. */
export function addSchemaRoutes(app: Express, schemas: ReadonlyMap<string, object>, index: string): void {
  for (const [file, schema] of schemas) {
    const paths = file === index ? [SCHEMAS_PATH, `${SCHEMAS_PATH}/${file}`] : `${SCHEMAS_PATH}/${file}`;
    addRoute(app, paths, { get: [sendJson(() => schema)] });
  }
}

const SCHEMAS_PATH = '/schemas';
const ADMIN_DOCUMENT_PATH = '/admin/openapi.json';

/**
 * Adds the document of the admin API to the operations port. It needs no token, because it is the same in every
 * installation.
 */
export function addAdminDocumentRoute(app: Express, document: () => object): void {
  addRoute(app, ADMIN_DOCUMENT_PATH, { get: [sendJson(document)] });
}

/** Makes and serializes the value for the first request, because a document takes longer than the rest of a start. */
function sendJson(make: () => object): RequestHandler {
  let body: string | undefined;
  return (_request, response) => {
    body ??= JSON.stringify(make());
    response.set('cache-control', 'no-cache').type('application/json').send(body);
  };
}
