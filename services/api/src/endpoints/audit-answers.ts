import { time } from '@mailhook/core';
import { z } from 'zod';
import { named } from './answers.ts';
import { SUBSCRIPTION_ID } from './customer/subscriptions.ts';

const fieldChange = named(
  'FieldChange',
  z
    .object({
      object: z
        .string()
        .optional()
        .describe('The id of the destination, token, secret or address that has the field. Absent: the account.'),
      field: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    })
    .describe(
      'Texts of at most 200 characters. null: not set, or not there. Equal texts: a value that is never shown has ' +
        'changed, such as that of a header.',
    ),
);

export const auditEntry = named(
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
    changes: z
      .array(fieldChange)
      .optional()
      .describe('What changed, by field, without secrets. Absent: nothing that is stored.'),
  }),
);

export const auditEntryExample = {
  id: '1767225840000-0',
  time: '2026-01-01T00:04:00.000Z',
  actor: 'customer',
  via: 'API',
  token: 'backend',
  action: 'change destination',
  account: 'acc_V1nq8Lr3Kc7Yd0Ze',
  object: SUBSCRIPTION_ID,
  changes: [{ object: SUBSCRIPTION_ID, field: 'maxRequestsPerSecond', before: null, after: '7' }],
};
