import {
  ALERT_ADDRESSES_MAX,
  ALERT_KINDS,
  ALERT_WEBHOOKS_MAX,
  alertAddress,
  alertAddressInput,
  alertChoice,
  alertChoiceInput,
  alertTestResult,
  alertWebhook,
  alertWebhookInput,
} from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone } from '../answers.ts';
import { endpoint } from './endpoint.ts';

const example = {
  id: 'Kd3nW8sVq1zYb5Rf',
  email: 'ops@example.com',
  language: 'en',
  confirmed: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  kinds: [...ALERT_KINDS],
  muted: [],
  lastFailure: null,
};

const webhookExample = {
  id: 'p2QvV9sLr4cTf8Za',
  address: 'https://hooks.slack.com/…Xy7K',
  language: 'en',
  createdAt: '2026-01-01T00:00:00.000Z',
  kinds: ['failing', 'deactivated'],
  muted: ['campaign'],
  lastFailure: { time: '2026-01-02T03:04:05.000Z', reason: 'the receiver answered HTTP 404 Not Found' },
};

const choiceExample = { kinds: ['failing', 'deactivated'], muted: ['campaign'] };

const tag = 'Alerts';
const webhooks = '/v3/webhook/alert-webhooks';
const path = '/v3/webhook/alerts';

/** Who gets a message when a webhook of the account fails. */
export const alertEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listAlertAddresses',
    tag,
    summary: 'List the e-mail addresses that get alerts',
    description: 'Without a mail server, no address can be added: the answer to that is 409.',
    answer: { status: 200, text: 'Oldest first.', schema: z.array(alertAddress), example: [example] },
    handle: ({ account }, services) => services.alerts.list(account),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'addAlertAddress',
    tag,
    summary: 'Add an e-mail address',
    description:
      'The address gets an e-mail with a link, and alerts only after its owner has confirmed them there. An account ' +
      `has at most ${ALERT_ADDRESSES_MAX} addresses, and a day has a limit of such e-mails.`,
    audit: 'add alert address',
    body: { schema: alertAddressInput, example: { email: example.email, language: example.language } },
    answer: {
      status: 201,
      text: 'The address, which is not confirmed yet.',
      schema: alertAddress,
      example: { ...example, confirmed: false },
    },
    problems: ['conflict'],
    handle: ({ account, body }, services) => services.alerts.create(account, body),
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
      await services.alerts.remove(account, params.id);
      return DONE;
    },
  }),
  endpoint({
    method: 'put',
    path: `${path}/:id`,
    operationId: 'chooseAlerts',
    tag,
    summary: 'Choose what an address or a webhook gets',
    audit: 'choose alerts',
    body: { schema: alertChoiceInput, example: choiceExample },
    answer: { status: 200, text: 'The choice, for the next alerts.', schema: alertChoice, example: choiceExample },
    problems: ['not_found', 'conflict'],
    handle: ({ account, params, body }, services) => services.alerts.choose(account, params.id, body),
  }),
  endpoint({
    method: 'get',
    path: webhooks,
    operationId: 'listAlertWebhooks',
    tag,
    summary: 'List the webhooks that get alerts',
    answer: { status: 200, text: 'Oldest first.', schema: z.array(alertWebhook), example: [webhookExample] },
    handle: ({ account }, services) => services.alerts.webhooks.list(account),
  }),
  endpoint({
    method: 'post',
    path: webhooks,
    operationId: 'addAlertWebhook',
    tag,
    summary: 'Add a webhook for alerts',
    description:
      'It gets each alert as `{"text": "…"}`, which incoming webhooks of Slack take. ' +
      `An account has at most ${ALERT_WEBHOOKS_MAX}. The rules for addresses of destinations hold.`,
    audit: 'add alert webhook',
    body: { schema: alertWebhookInput, example: { address: 'https://hooks.slack.com/services/T0/B0/Xy7K' } },
    answer: {
      status: 201,
      text: 'The webhook.',
      schema: alertWebhook,
      example: { ...webhookExample, kinds: [...ALERT_KINDS], muted: [], lastFailure: null },
    },
    problems: ['conflict'],
    handle: ({ account, body }, services) => services.alerts.webhooks.create(account, body),
  }),
  endpoint({
    method: 'delete',
    path: `${webhooks}/:id`,
    operationId: 'deleteAlertWebhook',
    tag,
    summary: 'Remove a webhook for alerts',
    audit: 'remove alert webhook',
    answer: gone,
    problems: ['not_found', 'conflict'],
    handle: async ({ account, params }, services) => {
      await services.alerts.webhooks.remove(account, params.id);
      return DONE;
    },
  }),
  endpoint({
    method: 'post',
    path: `${webhooks}/:id/test`,
    operationId: 'testAlertWebhook',
    tag,
    summary: 'Send a test to a webhook for alerts',
    audit: false,
    answer: { status: 200, text: 'Whether it was taken.', schema: alertTestResult, example: { success: true } },
    problems: ['not_found', 'rate_limited'],
    handle: ({ account, params }, services) => services.alerts.webhooks.test(account, params.id),
  }),
];
