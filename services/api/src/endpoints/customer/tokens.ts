import { OWN_TOKENS_MAX, tokenInput } from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone } from '../answers.ts';
import { accessToken, newToken, tokenExample } from '../token-answers.ts';
import { endpoint } from './endpoint.ts';

const tag = 'Access tokens';
const path = '/v3/webhook/tokens';

/** Those of the account, with which a customer makes others. */
export const tokenEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listAccessTokens',
    tag,
    summary: 'List the access tokens',
    answer: {
      status: 200,
      text: 'Oldest first, without the tokens themselves.',
      schema: z.array(accessToken),
      example: [{ ...tokenExample, access: 'read' }],
    },
    handle: async ({ account }, { tokens }) => [...(await tokens.list(account))],
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'createAccessToken',
    tag,
    summary: 'Create an access token',
    description:
      'It expires with the token that makes it, or earlier. A token with the access `read` may use each GET, and ' +
      '`POST .../events/search` and `.../log/search`. Everything else is a 403 `insufficient_scope`. ' +
      `An account with ${OWN_TOKENS_MAX} tokens cannot have more.`,
    audit: 'create access token',
    security: 'token_created',
    body: { schema: tokenInput, example: { label: 'dashboard', access: 'read' }, isOptional: true },
    answer: newToken,
    problems: ['conflict'],
    handle: ({ account, token, body }, { tokens }) => tokens.create(account, body, token),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:id`,
    operationId: 'deleteAccessToken',
    tag,
    summary: 'Revoke an access token',
    description:
      'Requests with it are refused within seconds, and its sessions of the settings page end. It may be the token ' +
      'of the request itself.',
    audit: 'revoke access token',
    security: 'token_revoked',
    answer: gone,
    problems: ['not_found'],
    handle: async ({ account, params }, { tokens }) => {
      await tokens.remove(account, params.id);
      return DONE;
    },
  }),
];
