import { ALERT_ADDRESSES_MAX, alertAddress, alertAddressInput } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { z } from 'zod';
import type { Services } from '../../customer-api/services.ts';
import { DONE, gone } from '../answers.ts';
import { endpoint } from './endpoint.ts';

const example = {
  id: 'Kd3nW8sVq1zYb5Rf',
  email: 'ops@example.com',
  language: 'en',
  confirmed: true,
  createdAt: '2026-01-01T00:00:00.000Z',
};

const tag = 'E-mail alerts';
const path = '/v3/webhook/alerts';

function alertsOf({ alerts }: Services): NonNullable<Services['alerts']> {
  if (alerts === undefined)
    throw new ProblemError('conflict', {
      detail: 'This installation of Mailhook sends no e-mails: its operator has not set SMTP_URL.',
    });
  return alerts;
}

/** Who gets an e-mail when a webhook of the account fails. */
export const alertEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listAlertAddresses',
    tag,
    summary: 'List the e-mail addresses that get alerts',
    description: 'If the installation sends no e-mails, all three endpoints answer 409.',
    answer: { status: 200, text: 'Oldest first.', schema: z.array(alertAddress), example: [example] },
    problems: ['conflict'],
    handle: ({ account }, services) => alertsOf(services).list(account),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'addAlertAddress',
    tag,
    summary: 'Add an e-mail address',
    description: `The address gets an e-mail with a link, and alerts only after its owner has confirmed them there. An account has at most ${ALERT_ADDRESSES_MAX} addresses, and a day has a limit of such e-mails.`,
    audit: 'add alert address',
    body: { schema: alertAddressInput, example: { email: example.email, language: example.language } },
    answer: {
      status: 201,
      text: 'The address, which is not confirmed yet.',
      schema: alertAddress,
      example: { ...example, confirmed: false },
    },
    problems: ['conflict'],
    handle: ({ account, body }, services) => alertsOf(services).create(account, body),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:id`,
    operationId: 'deleteAlertAddress',
    tag,
    summary: 'Remove an e-mail address',
    audit: 'remove alert address',
    answer: gone,
    problems: ['not_found', 'conflict'],
    handle: async ({ account, params }, services) => {
      await alertsOf(services).remove(account, params.id);
      return DONE;
    },
  }),
];
