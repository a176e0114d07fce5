import {
  auditQuery,
  deadLetterFilter,
  destinationsQuery,
  discardInput,
  dropInput,
  operatorPauseInput,
  operatorSearchQuery,
  pageQuery,
  redriveResult,
} from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  auditEntry,
  discarded,
  operationsReport,
  operatorDeadLetter,
  operatorDestination,
  searchResult,
} from './admin-answers.ts';
import {
  accountExample,
  adminDeadLetterExample,
  auditEntryExample,
  operationsReportExample,
  operatorDestinationExample,
} from './admin-examples.ts';
import { accountPaths } from './admin-account-paths.ts';
import { pageOf } from '../endpoints/answers.ts';
import { adminOperation } from './operation.ts';
import type { OperationSketch } from './operation.ts';

const installationPaths: ZodOpenApiPathsObject = {
  '/admin/audit': {
    get: adminOperation({
      operationId: 'listActions',
      tag: 'Installation',
      summary: 'List who changed what',
      description:
        'Changes by customers and operators of the last 90 days. With `account`, a page may have few entries although there is a `nextCursor`.',
      query: auditQuery,
      answer: {
        status: 200,
        text: 'A page of them.',
        schema: pageOf(auditEntry),
        example: { items: [auditEntryExample] },
      },
    }),
  },
  '/admin/overview': {
    get: adminOperation({
      operationId: 'readOverview',
      tag: 'Installation',
      summary: 'The state of the installation',
      answer: { status: 200, text: 'From one reading.', schema: operationsReport, example: operationsReportExample },
    }),
  },
  '/admin/search': {
    get: adminOperation({
      operationId: 'search',
      tag: 'Installation',
      summary: 'Find accounts and destinations',
      query: operatorSearchQuery,
      answer: {
        status: 200,
        text: 'Up to 20 of each.',
        schema: searchResult,
        example: { accounts: [accountExample], destinations: [operatorDestinationExample], isComplete: true },
      },
    }),
  },
};

const destinationAction = (
  sketch: Pick<OperationSketch, 'operationId' | 'summary'> &
    Partial<Pick<OperationSketch, 'description' | 'body'>> & { readonly status?: 202 },
) => {
  const { status = 200, ...more } = sketch;
  return adminOperation({
    ...more,
    tag: 'Destinations',
    parameters: ['destination'],
    answer: { status, text: 'Its new state.', schema: operatorDestination, example: operatorDestinationExample },
    problems: ['not_found', 'conflict'],
  });
};

const destinationPaths: ZodOpenApiPathsObject = {
  '/admin/destinations': {
    get: adminOperation({
      operationId: 'listDestinations',
      tag: 'Destinations',
      summary: 'List destinations',
      query: destinationsQuery,
      answer: {
        status: 200,
        text: 'A page of them.',
        schema: pageOf(
          operatorDestination,
          'By mechanism and shard, then by the end of the parking or pause, or by their oldest events.',
        ),
        example: { items: [operatorDestinationExample] },
      },
    }),
  },
  '/admin/destinations/{destination}': {
    get: adminOperation({
      operationId: 'readDestination',
      tag: 'Destinations',
      summary: 'Read a destination',
      parameters: ['destination'],
      answer: {
        status: 200,
        text: 'The destination.',
        schema: operatorDestination,
        example: operatorDestinationExample,
      },
      problems: ['not_found'],
    }),
  },
  '/admin/destinations/{destination}/pause': {
    post: destinationAction({
      operationId: 'pauseDestination',
      summary: 'Pause a destination',
      body: { schema: operatorPauseInput, example: { minutes: 60 } },
    }),
  },
  '/admin/destinations/{destination}/resume': {
    post: destinationAction({ operationId: 'resumeDestination', summary: 'Resume a destination' }),
  },
  '/admin/destinations/{destination}/probe': {
    post: destinationAction({
      operationId: 'probeDestination',
      summary: 'Probe a parked destination now',
      status: 202,
    }),
  },
  '/admin/destinations/{destination}/send-now': {
    post: destinationAction({
      operationId: 'sendResendsNow',
      summary: 'Send all resends now',
      description: 'Sends them as fast as the receiver takes them, instead of at their scheduled times.',
      status: 202,
    }),
  },
  '/admin/destinations/{destination}/drop': {
    post: destinationAction({
      operationId: 'giveUpWaitingEvents',
      summary: 'Give up the waiting events',
      description: 'They become dead letters.',
      body: { schema: dropInput, example: { confirm: operatorDestinationExample.id } },
      status: 202,
    }),
  },
};

const deadLetterPaths: ZodOpenApiPathsObject = {
  '/admin/dead-letters': {
    get: adminOperation({
      operationId: 'listAllDeadLetters',
      tag: 'Dead letters',
      summary: 'List dead letters',
      query: pageQuery,
      answer: {
        status: 200,
        text: 'A page of those of all accounts.',
        schema: pageOf(operatorDeadLetter),
        example: { items: [adminDeadLetterExample] },
      },
    }),
  },
  '/admin/dead-letters/redrive': {
    post: adminOperation({
      operationId: 'redriveDeadLettersOfAll',
      tag: 'Dead letters',
      summary: 'Redrive dead letters',
      description: 'Those that match every given field. Without any field: all of them.',
      body: { schema: deadLetterFilter, example: { account: accountExample.id }, isOptional: true },
      answer: {
        status: 202,
        text: 'How many of them are resends now.',
        schema: redriveResult,
        example: { redriven: 3 },
      },
    }),
  },
  '/admin/dead-letters/discard': {
    post: adminOperation({
      operationId: 'discardDeadLetters',
      tag: 'Dead letters',
      summary: 'Discard dead letters',
      description: 'Deletes those that match every given field permanently. At least one field is required.',
      body: { schema: discardInput, example: { account: accountExample.id } },
      answer: {
        status: 200,
        text: 'How many are gone.',
        schema: discarded,
        example: { discarded: 3, events: 240 },
      },
    }),
  },
};

/**
 * The admin API. Every route of `operations` under `/admin` that answers with JSON has an entry here, and a test
 * reports the missing ones.
 */
export const adminPaths: ZodOpenApiPathsObject = {
  ...accountPaths,
  ...installationPaths,
  ...destinationPaths,
  ...deadLetterPaths,
};
