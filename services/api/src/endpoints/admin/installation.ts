import { auditQuery, operationsReport, operatorSearchQuery, searchResult } from '@mailhook/core';
import { pageOf } from '../answers.ts';
import { auditEntry, auditEntryExample } from '../audit-answers.ts';
import { accountExample } from './common.ts';
import { operatorDestinationExample } from './destinations.ts';
import { endpoint } from './endpoint.ts';
import { operationsReportExample } from './operations-report.ts';

const tag = 'Installation';

export const installationEndpoints = [
  endpoint({
    method: 'get',
    path: '/admin/audit',
    operationId: 'listActions',
    tag,
    summary: 'List who changed what',
    description:
      'Changes by customers and operators of the last 90 days. A filtered page may be short and have a `nextCursor`.',
    query: auditQuery,
    answer: {
      status: 200,
      text: 'A page of them.',
      schema: pageOf(auditEntry),
      example: { items: [auditEntryExample] },
    },
    handle: ({ query: { action, ...query } }, { audit }) =>
      audit.list({ ...query, actions: action === undefined ? undefined : [action] }),
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
