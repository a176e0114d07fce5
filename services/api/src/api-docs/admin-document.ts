import { MAILHOOK_VERSION } from '@mailhook/core';
import { createDocument } from 'zod-openapi';
import { ADMIN_COMPONENTS } from './admin-answers.ts';
import { adminPaths } from './admin-paths.ts';
import { nameSchemas } from './components.ts';
import { token } from './document.ts';
import type { ApiDocument } from './document.ts';
import { forDocuments } from './json-schema.ts';

const DESCRIPTION = `
Operators create accounts and tokens, look at the installation, and act on destinations and dead letters.

The admin API is on the operations port (\`OPS_PORT\`), which the public must not reach. Every request needs the admin token.
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; invalid fields are listed in \`errors\`.
A request with more than 16 KiB of headers gets 431 without a body.
`.trim();

const TAGS = [
  { name: 'Accounts', description: 'Accounts and their access tokens.' },
  { name: 'Installation', description: 'Is anything stuck, and what does the installation lack?' },
  { name: 'Destinations', description: 'Subscriptions and campaign webhooks, with their delivery state.' },
  { name: 'Dead letters', description: 'What was given up, of all accounts.' },
];

/** The admin API as an OpenAPI 3.1 document. See `createApiDocument`. A new route needs an entry in `admin-paths`. */
export function createAdminDocument(): ApiDocument {
  nameSchemas();
  nameSchemas(ADMIN_COMPONENTS);
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
      paths: adminPaths,
      components: { securitySchemes: { adminToken: token('The token of the operators (ADMIN_TOKEN).') } },
    },
    { override: forDocuments },
  );
}
