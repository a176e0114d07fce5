import { auditQuery } from '@mailhook/core';
import { named, pageOf } from '../answers.ts';
import { auditEntry, auditEntryExample } from '../audit-answers.ts';
import { endpoint } from './endpoint.ts';

const { account: _account, ...example } = auditEntryExample;

/** What the account's people, programs and operators have changed. */
export const changeEndpoints = [
  endpoint({
    method: 'get',
    path: '/v3/webhook/changes',
    operationId: 'listChanges',
    tag: 'Changes',
    summary: 'List who changed what',
    description:
      'Changes of the account in the last 90 days, the newest 5,000, by its people and programs and by operators. ' +
      'With a filter, a page may have few entries although there is a `nextCursor`.',
    query: auditQuery.omit({ account: true }),
    answer: {
      status: 200,
      text: 'A page of them.',
      schema: pageOf(named('Change', auditEntry.omit({ account: true }))),
      example: { items: [example] },
    },
    handle: ({ account, query: { action, ...query } }, { changes }) =>
      changes(account, { ...query, actions: action === undefined ? undefined : [action] }),
  }),
];
