import { createdSecret, signingSecret } from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { done, DONE_EXAMPLE } from './answers.ts';
import { customerOperation } from './operation.ts';

const tag = 'Signing secrets';
const example = { id: 'Zp4sR8vN1xKc6YtB', createdAt: '2026-01-01T00:00:00.000Z' };

/** The signing secrets of the account and of destinations. Each can have two at a time, to rotate them. */
export const secretPaths: ZodOpenApiPathsObject = {
  '/v3/webhook/secrets': {
    get: customerOperation({
      operationId: 'listSecrets',
      tag,
      summary: 'List signing secrets',
      answer: {
        status: 200,
        text: 'Oldest first, without the secrets themselves.',
        schema: z.array(signingSecret),
        example: [example],
      },
    }),
    post: customerOperation({
      operationId: 'createSecret',
      tag,
      summary: 'Create a signing secret',
      description:
        'From now on every request carries a signature made with it, except to destinations with their own secret. ' +
        'An account has at most two.',
      answer: {
        status: 201,
        text: 'The secret, shown this once.',
        schema: createdSecret,
        example: { id: example.id, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      },
      problems: ['conflict'],
    }),
  },
  '/v3/webhook/secrets/{id}': {
    delete: customerOperation({
      operationId: 'deleteSecret',
      tag,
      summary: 'Delete a signing secret',
      hasId: true,
      answer: { status: 200, text: 'It is gone.', schema: done, example: DONE_EXAMPLE },
      problems: ['not_found'],
    }),
  },
  '/v3/webhook/destinations/{id}/secrets': {
    get: customerOperation({
      operationId: 'listDestinationSecrets',
      tag,
      summary: 'List the signing secrets of a destination',
      description: 'The id is that of a subscription, or `campaign`.',
      hasId: true,
      answer: {
        status: 200,
        text: 'Oldest first, without the secrets themselves.',
        schema: z.array(signingSecret),
        example: [example],
      },
      problems: ['not_found'],
    }),
    post: customerOperation({
      operationId: 'createDestinationSecret',
      tag,
      summary: 'Create a signing secret of a destination',
      description:
        'While a destination has a secret of its own, its requests are signed with that one, and not with those of the account. It has at most two.',
      hasId: true,
      answer: {
        status: 201,
        text: 'The secret, shown this once.',
        schema: createdSecret,
        example: { id: example.id, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      },
      problems: ['not_found', 'conflict'],
    }),
  },
  '/v3/webhook/destinations/{id}/secrets/{secret}': {
    delete: customerOperation({
      operationId: 'deleteDestinationSecret',
      tag,
      summary: 'Delete a signing secret of a destination',
      hasId: true,
      parameters: ['secret'],
      answer: { status: 200, text: 'It is gone.', schema: done, example: DONE_EXAMPLE },
      problems: ['not_found', 'conflict'],
    }),
  },
};
