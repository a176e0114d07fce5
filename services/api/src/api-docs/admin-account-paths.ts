import {
  account,
  accountIdInput,
  accountInput,
  accountsQuery,
  createdToken,
  erasureInput,
  portalInput,
  producerTokenInput,
  tokenInput,
} from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  accessTokens,
  accountDeletion,
  accountDetails,
  erasure,
  listedAccount,
  portalLink,
  producerTokens,
  storedAccount,
} from './admin-answers.ts';
import {
  accessTokensExample,
  accountDeletionExample,
  accountDetailsExample,
  accountExample,
  erasureExample,
  listedAccountExample,
  portalLinkExample,
  producerTokensExample,
  storedAccountExample,
} from './admin-examples.ts';
import { gone, pageOf } from '../endpoints/answers.ts';
import { adminOperation } from './operation.ts';

const tag = 'Accounts';
const newToken = {
  status: 201,
  text: 'The token, shown this once.',
  schema: createdToken,
  example: { id: 'Zp4sR8vN1xKc6YtB', token: 'Q0hP5vGm2c3sJ8kW1yXr9TnBd4LfZa6uEiVo7MqKx0A' },
} as const;
const deletion = (status: 200 | 202, text: string) =>
  ({ status, text, schema: accountDeletion, example: accountDeletionExample }) as const;

const tokenPaths: ZodOpenApiPathsObject = {
  '/admin/accounts/{account}/tokens': {
    get: adminOperation({
      operationId: 'listTokens',
      tag,
      summary: 'List the access tokens of an account',
      parameters: ['account'],
      answer: { status: 200, text: 'Oldest first.', schema: accessTokens, example: accessTokensExample },
      problems: ['not_found'],
    }),
    post: adminOperation({
      operationId: 'createToken',
      tag,
      summary: 'Create an access token',
      parameters: ['account'],
      body: { schema: tokenInput, example: { label: 'dashboard', access: 'read' }, isOptional: true },
      answer: newToken,
      problems: ['not_found'],
    }),
  },
  '/admin/accounts/{account}/tokens/{token}': {
    delete: adminOperation({
      operationId: 'deleteToken',
      tag,
      summary: 'Delete an access token',
      parameters: ['account', 'token'],
      answer: gone,
      problems: ['not_found'],
    }),
  },
  '/admin/accounts/{account}/portal': {
    post: adminOperation({
      operationId: 'createPortalLink',
      tag,
      summary: 'Create a portal link',
      parameters: ['account'],
      description:
        'A link that opens the settings page once, signed in as this account, within 60 seconds. The session lasts 8 hours at most. The token is in the fragment, for the script of the page; for browsers without scripts, write `?` in place of `#`. A token with the scope `portal` suffices.',
      body: { schema: portalInput, example: { returnUrl: 'https://app.example.com/webhooks' }, isOptional: true },
      answer: { status: 201, text: 'The link.', schema: portalLink, example: portalLinkExample },
      problems: ['not_found'],
    }),
    delete: adminOperation({
      operationId: 'endPortalSessions',
      tag,
      summary: 'End portal sessions',
      parameters: ['account'],
      description: 'Ends the sessions that portal links of this account have opened, and revokes unused links.',
      answer: gone,
      problems: ['not_found'],
    }),
  },
  '/admin/producer-tokens': {
    get: adminOperation({
      operationId: 'listProducerTokens',
      tag,
      summary: 'List the tokens of producers',
      answer: { status: 200, text: 'All of them.', schema: producerTokens, example: producerTokensExample },
    }),
    post: adminOperation({
      operationId: 'createProducerToken',
      tag,
      summary: 'Create a producer token',
      description: 'It is valid beside all others. To replace a token, create one, use it, and delete the old one.',
      body: {
        schema: producerTokenInput,
        example: { label: 'tracker', accounts: [accountExample.id] },
        isOptional: true,
      },
      answer: newToken,
      problems: ['conflict'],
    }),
  },
  '/admin/producer-tokens/{token}': {
    delete: adminOperation({
      operationId: 'deleteProducerToken',
      tag,
      summary: 'Delete a producer token',
      parameters: ['token'],
      answer: gone,
      problems: ['not_found', 'conflict'],
    }),
  },
};

const erasurePaths: ZodOpenApiPathsObject = {
  '/admin/accounts/{account}/erasures': {
    post: adminOperation({
      operationId: 'eraseEvents',
      tag,
      summary: 'Erase the events of a recipient',
      parameters: ['account'],
      description:
        'Removes the undelivered events of a recipient from mailboxes, resends, dead letters, rejected events and failed Redis-fed jobs, in the background. It finishes when all jobs from before its start have ended and two searches find nothing. Campaign events have a recipient; notifications have only a `messageId`. Events in flight stay until their outcome is known. The rest of a batch that was sent before gets a new `webhook-id`.',
      body: { schema: erasureInput, example: { email: 'anna@example.com' } },
      answer: { status: 202, text: 'The erasure with its id.', schema: erasure, example: erasureExample },
      problems: ['not_found'],
    }),
  },
  '/admin/accounts/{account}/erasures/{erasure}': {
    get: adminOperation({
      operationId: 'readErasure',
      tag,
      summary: 'Read the progress of an erasure',
      parameters: ['account', 'erasure'],
      description: 'For 7 days after its end.',
      answer: { status: 200, text: 'The erasure.', schema: erasure, example: erasureExample },
      problems: ['not_found'],
    }),
  },
};

/** The part of the admin API for accounts and tokens. */
export const accountPaths: ZodOpenApiPathsObject = {
  '/admin/accounts': {
    get: adminOperation({
      operationId: 'listAccounts',
      tag,
      summary: 'List accounts',
      query: accountsQuery,
      description: 'With `prefix`, a page may have few accounts although there is a `nextCursor`.',
      answer: {
        status: 200,
        text: 'A page of them, newest first, with counts.',
        schema: pageOf(listedAccount),
        example: { items: [listedAccountExample] },
      },
    }),
    post: adminOperation({
      operationId: 'createAccount',
      tag,
      summary: 'Create an account',
      body: { schema: accountInput, example: { name: accountExample.name } },
      answer: { status: 201, text: 'The account with its id.', schema: account, example: accountExample },
    }),
  },
  '/admin/accounts/{account}': {
    get: adminOperation({
      operationId: 'readAccount',
      tag,
      summary: 'Read an account',
      parameters: ['account'],
      description: 'Its limits, what it keeps in Redis, its deliveries of the last 24 hours, and its destinations.',
      answer: { status: 200, text: 'The account.', schema: accountDetails, example: accountDetailsExample },
      problems: ['not_found'],
    }),
    put: adminOperation({
      operationId: 'putAccount',
      tag,
      summary: 'Create or rename an account',
      parameters: ['account'],
      parameter: accountIdInput,
      description:
        'Under an id of your own: 1 to 64 letters, digits, `_`, `.`, `:` or `-`. `201` if it is new, `200` otherwise. The id of a deleted account is a `409` for a week.',
      body: { schema: accountInput, example: { name: accountExample.name } },
      answer: {
        status: 200,
        orStatus: 201,
        text: 'The account.',
        schema: storedAccount,
        example: storedAccountExample,
      },
      problems: ['conflict'],
    }),
    delete: adminOperation({
      operationId: 'deleteAccount',
      tag,
      summary: 'Delete an account',
      parameters: ['account'],
      description: 'With all of its data, in the background. The account and its tokens are unknown at once.',
      answer: deletion(202, 'What is left.'),
      problems: ['not_found'],
    }),
  },
  '/admin/accounts/{account}/deletion': {
    get: adminOperation({
      operationId: 'readDeletion',
      tag,
      summary: 'Read the progress of a deletion',
      parameters: ['account'],
      answer: deletion(200, 'What is left.'),
      problems: ['not_found'],
    }),
  },
  ...erasurePaths,
  ...tokenPaths,
};
