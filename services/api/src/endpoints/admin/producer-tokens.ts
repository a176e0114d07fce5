import { producerTokenInput } from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone, named } from '../answers.ts';
import { accountExample, time } from './common.ts';
import { endpoint } from './endpoint.ts';
import { newToken, tokenExample, tokenFields } from '../token-answers.ts';

const producerToken = named(
  'ProducerToken',
  z.object({
    ...tokenFields,
    accounts: z.array(z.string()).nullable().describe('null: it may send events for all accounts.'),
    createdAt: time.nullable().describe('null for `environment`, the token in PRODUCER_TOKEN.'),
  }),
);
const producerTokens = named(
  'ProducerTokens',
  z.object({ items: z.array(producerToken).describe('Oldest first, after the token in PRODUCER_TOKEN.') }),
);

const tag = 'Accounts';
const path = '/admin/producer-tokens';

export const producerTokenEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listProducerTokens',
    tag,
    summary: 'List the tokens of producers',
    answer: {
      status: 200,
      text: 'All of them.',
      schema: producerTokens,
      example: {
        items: [
          { ...tokenExample, id: 'environment', label: 'PRODUCER_TOKEN', accounts: null, createdAt: null },
          { ...tokenExample, label: 'tracker', accounts: [accountExample.id] },
        ],
      },
    },
    handle: async (_call, services) => ({ items: await services.producerTokens.list() }),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'createProducerToken',
    tag,
    summary: 'Create a producer token',
    description: 'It is valid beside all others. To replace a token, create one, use it, and delete the old one.',
    audit: 'create producer token',
    security: 'token_created',
    body: {
      schema: producerTokenInput,
      example: { label: 'tracker', accounts: [accountExample.id] },
      isOptional: true,
    },
    answer: newToken,
    problems: ['conflict'],
    handle: ({ body }, services) => services.producerTokens.create(body),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:token`,
    operationId: 'deleteProducerToken',
    tag,
    summary: 'Delete a producer token',
    audit: 'revoke producer token',
    security: 'token_revoked',
    answer: gone,
    problems: ['not_found', 'conflict'],
    handle: async ({ params }, services) => {
      await services.producerTokens.remove(params.token);
      return DONE;
    },
  }),
];
