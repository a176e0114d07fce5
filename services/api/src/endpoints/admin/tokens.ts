import { tokenInput } from '@mailhook/core';
import { DONE, gone } from '../answers.ts';
import { accessTokens, newToken, tokenExample } from '../token-answers.ts';
import { endpoint } from './endpoint.ts';

const tag = 'Accounts';
const path = '/admin/accounts/:account/tokens';

export const tokenEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listTokens',
    tag,
    summary: 'List the access tokens of an account',
    answer: {
      status: 200,
      text: 'Oldest first.',
      schema: accessTokens,
      example: { items: [{ ...tokenExample, access: 'read' }] },
    },
    problems: ['not_found'],
    handle: async ({ params }, { tokens }) => ({ items: await tokens.list(params.account) }),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'createToken',
    tag,
    summary: 'Create an access token',
    audit: 'create access token',
    security: 'token_created',
    body: { schema: tokenInput, example: { label: 'dashboard', access: 'read' }, isOptional: true },
    answer: newToken,
    problems: ['not_found'],
    handle: ({ params, body }, { tokens }) => tokens.create(params.account, body),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:token`,
    operationId: 'deleteToken',
    tag,
    summary: 'Delete an access token',
    audit: 'revoke access token',
    security: 'token_revoked',
    answer: gone,
    problems: ['not_found'],
    handle: async ({ params }, { tokens }) => {
      await tokens.remove(params.account, params.token);
      return DONE;
    },
  }),
];
