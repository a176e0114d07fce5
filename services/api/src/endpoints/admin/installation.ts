import { auditQuery, operationsReport, operatorSearchQuery, searchResult } from '@mailhook/core';
import { z } from 'zod';
import { named, pageOf } from '../answers.ts';
import { SUBSCRIPTION_ID } from '../customer/subscriptions.ts';
import { accountExample, time } from './common.ts';
import { operatorDestinationExample } from './destinations.ts';
import { endpoint } from './endpoint.ts';
import { operationsReportExample } from './operations-report.ts';

const auditEntry = named(
  'AuditEntry',
  z.object({
    client: z.string().optional().describe('The IP address that the request came from.'),
    requestId: z.string().optional().describe('The `x-request-id` of the answer, as in the logs.'),
    id: z.string(),
    time,
    actor: z.enum(['customer', 'operator']),
    via: z.enum(['API', 'settings page', 'e-mail link', 'admin API', 'operations page', 'Bull Board']),
    token: z
      .string()
      .optional()
      .describe('Label or id of a customer\u2019s access token, or the label of an admin token.'),
    person: z
      .string()
      .optional()
      .describe(
        'The operator, as the sign-in proxy in front of the operations port has named them (`OPERATOR_HEADER`).',
      ),
    action: z.string(),
    account: z.string().optional(),
    object: z.string().optional().describe('What it was done to: an id, an address or a path.'),
  }),
);

const auditEntryExample = {
  id: '1767225840000-0',
  time: '2026-01-01T00:04:00.000Z',
  actor: 'customer',
  via: 'API',
  token: 'backend',
  action: 'delete subscription',
  account: accountExample.id,
  object: SUBSCRIPTION_ID,
};

const tag = 'Installation';

export const installationEndpoints = [
  endpoint({
    method: 'get',
    path: '/admin/audit',
    operationId: 'listActions',
    tag,
    summary: 'List who changed what',
    description:
      'Changes by customers and operators of the last 90 days. With a filter, a page may have few entries although there is a `nextCursor`.',
    query: auditQuery,
    answer: {
      status: 200,
      text: 'A page of them.',
      schema: pageOf(auditEntry),
      example: { items: [auditEntryExample] },
    },
    handle: ({ query }, { audit }) => audit.list(query),
  }),
  endpoint({
    method: 'get',
    path: '/admin/overview',
    operationId: 'readOverview',
    tag,
    summary: 'The state of the installation',
    answer: { status: 200, text: 'From one reading.', schema: operationsReport, example: operationsReportExample },
    handle: async (_call, { readOperations }) => (await readOperations()).report,
  }),
  endpoint({
    method: 'get',
    path: '/admin/search',
    operationId: 'search',
    tag,
    summary: 'Find accounts and destinations',
    query: operatorSearchQuery,
    answer: {
      status: 200,
      text: 'Up to 20 of each.',
      schema: searchResult,
      example: { accounts: [accountExample], destinations: [operatorDestinationExample], isComplete: true },
    },
    handle: ({ query }, { accounts }) => accounts.search(query.text),
  }),
];
