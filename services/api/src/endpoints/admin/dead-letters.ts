import {
  deadLetter,
  deadLetterFilter,
  discardInput,
  pageQuery,
  redriveResult,
  withoutQuotations,
} from '@mailhook/core';
import { z } from 'zod';
import { named, pageOf } from '../answers.ts';
import { deadLetterExample } from '../customer/dead-letters.ts';
import { accountExample, count } from './common.ts';
import { endpoint } from './endpoint.ts';

const operatorDeadLetter = named('OperatorDeadLetter', deadLetter.extend({ account: z.string() }));

const discarded = named(
  'Discarded',
  z.object({
    discarded: count.describe('Dead letters.'),
    events: count.describe('The events in them.'),
  }),
);

const tag = 'Dead letters';
const path = '/admin/dead-letters';

export const deadLetterEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listAllDeadLetters',
    tag,
    summary: 'List dead letters',
    query: pageQuery.extend({ account: deadLetterFilter.shape.account.describe('Only those of this account.') }),
    answer: {
      status: 200,
      text: 'A page of those of all accounts, or of one.',
      schema: pageOf(operatorDeadLetter),
      example: { items: [{ ...deadLetterExample, account: accountExample.id }] },
    },
    handle: async ({ query }, { deadLetters }) => {
      const page = await deadLetters.list({ account: query.account }, query);
      return {
        ...page,
        items: page.items.map((one) => ({ ...one, error: one.error.shownAs(withoutQuotations(String(one.error))) })),
      };
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/redrive`,
    operationId: 'redriveDeadLettersOfAll',
    tag,
    summary: 'Redrive dead letters',
    description: 'Those that match every given field. Without any field: all of them.',
    audit: 'redrive dead letters',
    body: { schema: deadLetterFilter, example: { account: accountExample.id }, isOptional: true },
    answer: {
      status: 202,
      text: 'How many of them are resends now.',
      schema: redriveResult,
      example: { redriven: 3 },
    },
    handle: ({ body }, { deadLetters }) => deadLetters.redrive(body),
  }),
  endpoint({
    method: 'post',
    path: `${path}/discard`,
    operationId: 'discardDeadLetters',
    tag,
    summary: 'Discard dead letters',
    description: 'Deletes those that match every given field permanently. At least one field is required.',
    audit: 'discard dead letters',
    body: { schema: discardInput, example: { account: accountExample.id } },
    answer: {
      status: 200,
      text: 'How many are gone.',
      schema: discarded,
      example: { discarded: 3, events: 240 },
    },
    handle: ({ body }, { discard }) => discard(body),
  }),
];
