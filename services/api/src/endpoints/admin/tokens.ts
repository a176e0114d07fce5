import { access, createdToken, tokenInput } from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone, named } from '../answers.ts';
import { time } from './common.ts';
import { endpoint } from './endpoint.ts';

/** Of access tokens and producer tokens. */
export const tokenFields = {
  id: z.string(),
  label: z.string(),
  expiresAt: time.nullable().describe('null: it has no end.'),
  lastUsedAt: time.nullable().describe('Accurate to a minute. null if it was never used.'),
};

export const tokenExample = {
  id: 'Zp4sR8vN1xKc6YtB',
  label: 'backend',
  createdAt: '2025-11-03T08:15:04.000Z',
  expiresAt: null,
  lastUsedAt: '2026-01-01T00:03:00.000Z',
};
export const newToken = {
  status: 201,
  text: 'The token, shown this once.',
  schema: createdToken,
  example: { id: tokenExample.id, token: 'Q0hP5vGm2c3sJ8kW1yXr9TnBd4LfZa6uEiVo7MqKx0A' },
};

const accessToken = named('AccessToken', z.object({ ...tokenFields, access, createdAt: time }));
const accessTokens = named('AccessTokens', z.object({ items: z.array(accessToken) }));

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
