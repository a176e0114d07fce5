import { MAILHOOK_VERSION } from '@mailhook/core';
import { createDocument } from 'zod-openapi';
import { adminEndpoints } from '../endpoints/admin/index.ts';
import { nameSchemas } from './components.ts';
import { token } from './document.ts';
import type { ApiDocument } from './document.ts';
import { forDocuments } from './json-schema.ts';
import { ADMIN_API, pathsOf } from './operation.ts';

const DESCRIPTION = `
Operators create accounts and tokens, look at the installation, and act on destinations and dead letters.

The admin API is on the operations port (\`OPS_PORT\`), which the public must not reach. Every request needs the admin
token. Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`errors\` lists invalid fields.
A request with more than 16 KiB of headers gets 431 without a body.
`.trim();

const TAGS = [
  { name: 'Accounts', description: 'Accounts and their access tokens.' },
  { name: 'Installation', description: 'Is anything stuck, and what does the installation lack?' },
  { name: 'Destinations', description: 'Subscriptions and campaign webhooks, with their delivery state.' },
  { name: 'Dead letters', description: 'What was given up, of all accounts.' },
];

/** The admin API as an OpenAPI 3.1 document. See `createApiDocument`. */
export function createAdminDocument(): ApiDocument {
  nameSchemas();
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Mailhook admin API',
        version: MAILHOOK_VERSION,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The operations port.' }],
      tags: TAGS,
      paths: pathsOf(adminEndpoints, ADMIN_API),
      components: { securitySchemes: { adminToken: token('The token of the operators (ADMIN_TOKEN).') } },
    },
    { override: forDocuments },
  );
}
