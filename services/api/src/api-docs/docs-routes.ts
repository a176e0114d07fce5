import type { Express, RequestHandler } from 'express';
import { addRoute } from '@mailhook/platform/http-server';
import swaggerUi from 'swagger-ui-express';
import type { ApiDocument } from './document.ts';

/** No request leaves the page: every file is served from here, and no validator is asked. The token stays in memory. */
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

/** `GET /openapi.json` and, for people, `GET /docs`: readable without the internet, and under a policy that allows no inline script. */
export function addApiDocsRoutes(app: Express, document: ApiDocument): void {
  const body = JSON.stringify(document);
  const sendDocument: RequestHandler = (_request, response) => {
    response.set('cache-control', 'no-cache').type('application/json').send(body);
  };
  addRoute(app, '/openapi.json', { get: [sendDocument] });
  addRoute(app, '/docs', { get: [toSlash, swaggerUi.setup(undefined, UI_OPTIONS)] });
  app.use('/docs', swaggerUi.serve);
}

/** The page's files are named relative to it. */
const toSlash: RequestHandler = (request, response, next) => {
  if (request.path.endsWith('/')) next();
  else response.redirect(301, 'docs/');
};
