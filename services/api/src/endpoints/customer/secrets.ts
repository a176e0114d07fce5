import { createdSecret, rollInput, signingSecret } from '@mailhook/core';
import type { SigningSecret } from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone } from '../answers.ts';
import { endpoint } from './endpoint.ts';

const example = { id: 'Zp4sR8vN1xKc6YtB', createdAt: '2026-01-01T00:00:00.000Z' };
const all = {
  status: 200,
  text: 'Oldest first, without the secrets themselves.',
  schema: z.array(signingSecret),
  example: [example],
};
const created = {
  status: 201,
  text: 'The secret, shown this once.',
  schema: createdSecret,
  example: { id: example.id, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
};

const tag = 'Signing secrets';
const path = '/v3/webhook/secrets';
const ofDestination = '/v3/webhook/destinations/:id/secrets';

/** What pages show beside it is not in the contract of this call. */
const listed = (secrets: readonly SigningSecret[]) => secrets.map(({ id, createdAt }) => ({ id, createdAt }));

const roll = { schema: rollInput, example: { hours: 24 }, isOptional: true } as const;
const rollText =
  'Requests carry signatures of both secrets until the present one ends. ' +
  'Deleting the new one before takes the end back.';

/** Those of the account and of destinations. Each can have two at a time, to rotate them. */
export const secretEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listSecrets',
    tag,
    summary: 'List signing secrets',
    answer: all,
    handle: async ({ account }, { secrets }) => listed(await secrets.list(account)),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'createSecret',
    tag,
    summary: 'Create a signing secret',
    description:
      'From now on every request carries a signature made with it, except to destinations with their own secret. ' +
      'An account has at most two.',
    audit: 'create signing secret',
    answer: created,
    problems: ['conflict'],
    handle: ({ account }, { secrets }) => secrets.create(account),
  }),
  endpoint({
    method: 'post',
    path: `${path}/roll`,
    operationId: 'rollSecret',
    tag,
    summary: 'Replace the signing secret after some hours',
    description: rollText,
    audit: 'roll signing secret',
    body: roll,
    answer: created,
    problems: ['conflict'],
    handle: ({ account, body }, { secrets }) => secrets.roll(account, body),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:id`,
    operationId: 'deleteSecret',
    tag,
    summary: 'Delete a signing secret',
    audit: 'delete signing secret',
    answer: gone,
    problems: ['not_found'],
    handle: async ({ account, params }, { secrets }) => {
      await secrets.remove(account, params.id);
      return DONE;
    },
  }),
  endpoint({
    method: 'get',
    path: ofDestination,
    operationId: 'listDestinationSecrets',
    tag,
    summary: 'List the signing secrets of a destination',
    description: 'The id is that of a subscription, or `campaign`.',
    answer: all,
    problems: ['not_found'],
    handle: async ({ account, params }, { destinationSecrets }) =>
      listed(await destinationSecrets.list(account, params.id)),
  }),
  endpoint({
    method: 'post',
    path: ofDestination,
    operationId: 'createDestinationSecret',
    tag,
    summary: 'Create a signing secret of a destination',
    description:
      'While a destination has a secret of its own, its requests are signed with that one, and not with those of the ' +
      'account. It has at most two.',
    audit: 'create signing secret',
    answer: created,
    problems: ['not_found', 'conflict'],
    handle: ({ account, params }, { destinationSecrets }) => destinationSecrets.create(account, params.id),
  }),
  endpoint({
    method: 'post',
    path: `${ofDestination}/roll`,
    operationId: 'rollDestinationSecret',
    tag,
    summary: 'Replace the signing secret of a destination after some hours',
    description: rollText,
    audit: 'roll signing secret',
    body: roll,
    answer: created,
    problems: ['not_found', 'conflict'],
    handle: ({ account, params, body }, { destinationSecrets }) => destinationSecrets.roll(account, params.id, body),
  }),
  endpoint({
    method: 'delete',
    path: `${ofDestination}/:secret`,
    operationId: 'deleteDestinationSecret',
    tag,
    summary: 'Delete a signing secret of a destination',
    audit: 'delete signing secret',
    answer: gone,
    problems: ['not_found', 'conflict'],
    handle: async ({ account, params }, { destinationSecrets }) => {
      await destinationSecrets.remove(account, params.id, params.secret);
      return DONE;
    },
  }),
];
