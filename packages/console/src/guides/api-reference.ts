import { createRequire } from 'node:module';
import path from 'node:path';
import type { Express, RequestHandler } from 'express';
import { addRoute } from '@mailhook/platform/http-server';
import type { Assets } from '../html/assets.ts';
import { htmlDocument, ownHeader } from '../html/document.ts';
import { markup } from '../html/markup.ts';

const SWAGGER_FOLDER = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The files of Swagger UI that the page needs. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

/**
 * Adds `GET /openapi.json` and, for people, `GET /docs`. The page works without the internet, under a policy that
 * forbids inline scripts.
 */
export function addApiDocsRoutes(app: Express, document: () => object, { urls }: Pick<Assets, 'urls'>): void {
  const html = page(urls);
  const sendPage: RequestHandler = (_request, response) => {
    response.set('cache-control', 'no-cache').type('text/html').send(html);
  };
  addRoute(app, '/openapi.json', { get: [sendJson(document)] });
  addRoute(app, '/docs', { get: [sendPage] });
  for (const file of SWAGGER_FILES) {
    addRoute(app, `/docs/${file}`, {
      get: [(_request, response) => response.sendFile(file, { root: SWAGGER_FOLDER })],
    });
  }
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

/** The script `api-docs.js` starts Swagger UI with `/openapi.json`. */
const page = (urls: Assets['urls']): string =>
  htmlDocument(urls, {
    title: 'Mailhook API',
    sheets: ['/docs/swagger-ui.css', urls['api-docs.css']],
    body: markup`<body>
${ownHeader(urls, 'API reference', [
  ['/docs/guides', 'Guides'],
  ['/docs', 'API', true],
  ['/settings/webhooks', 'Settings'],
])}
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script type="module" src="${urls['api-docs.js']}"></script>
<div id="api"><noscript><p>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content for programs.</p></noscript></div>
</body>`,
  });
