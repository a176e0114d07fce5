import type { Express, RequestHandler } from 'express';
import { addRoute } from '@mailhook/platform/http-server';
import swaggerUi from 'swagger-ui-express';
import type { ApiDocument } from './document.ts';

/** The page sends no requests to other sites: the api serves every file, and the online validator is off. The token stays in memory. */
const UI_OPTIONS: swaggerUi.SwaggerUiOptions = {
  customSiteTitle: 'Mailhook API',
  customCss: '.swagger-ui .topbar { display: none }',
  swaggerUrl: '../openapi.json',
  swaggerOptions: {
    validatorUrl: null,
    persistAuthorization: false,
    displayRequestDuration: true,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
  },
};

/** Adds `GET /openapi.json` and, for people, `GET /docs`. The page works without the internet, under a policy that forbids inline scripts. */
export function addApiDocsRoutes(app: Express, document: ApiDocument): void {
  const body = JSON.stringify(document);
  const sendDocument: RequestHandler = (_request, response) => {
    response.set('cache-control', 'no-cache').type('application/json').send(body);
  };
  addRoute(app, '/openapi.json', { get: [sendDocument] });
  addRoute(app, '/docs', { get: [toSlash, swaggerUi.setup(undefined, UI_OPTIONS)] });
  app.use('/docs', swaggerUi.serve);
}

/** Adds the trailing slash, because the page names its files by relative paths. */
const toSlash: RequestHandler = (request, response, next) => {
  if (request.path.endsWith('/')) next();
  else response.redirect(301, 'docs/');
};
