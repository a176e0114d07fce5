import {
  campaignTestInput,
  campaignWebhook,
  campaignWebhookInput,
  receiverCheckInput,
  receiverReport,
  testQuery,
  testResult,
} from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { campaignWebhookExample, reportExample } from './examples.ts';
import { customerOperation } from './operation.ts';
import { sentToAddress } from './received-requests.ts';

const tag = 'Campaign webhook';

/** The account's campaign webhook, its connection test, and the receiver doctor. */
export const campaignPaths: ZodOpenApiPathsObject = {
  '/v3/webhook/campaign': {
    get: customerOperation({
      operationId: 'readCampaignWebhook',
      tag,
      summary: 'Read the campaign webhook',
      answer: { status: 200, text: 'The setting.', schema: campaignWebhook, example: campaignWebhookExample },
    }),
    put: customerOperation({
      operationId: 'setCampaignWebhook',
      tag,
      summary: 'Set the campaign webhook',
      description:
        'Every event that is accepted after the answer is sent to this address. active is true unless given.',
      callbacks: sentToAddress('batch'),
      body: { schema: campaignWebhookInput, example: campaignWebhookExample },
      answer: {
        status: 200,
        text: 'The setting as it is now.',
        schema: campaignWebhook,
        example: campaignWebhookExample,
      },
    }),
  },
  '/v3/webhook/campaign/test': {
    post: customerOperation({
      operationId: 'testCampaignWebhook',
      tag,
      summary: 'Run the connection test or send a sample batch',
      description:
        'Sends `{"test": "..."}` and expects a 2xx with `{"status": "ok"}` within 5 seconds. Without a body, or with `{}`: to the saved address. ' +
        'With `"send": "batch"`: a batch of three marked sample events, one of each type, which the reply must confirm.',
      query: testQuery,
      callbacks: sentToAddress('connectionTest'),
      body: { schema: campaignTestInput, example: { address: campaignWebhookExample.address }, isOptional: true },
      answer: {
        status: 200,
        text: 'The test result.',
        schema: testResult,
        example: { success: false, message: 'Request error (curl) 404 - HTTP/1.1 404 Not Found' },
      },
    }),
  },
  '/v3/webhook/doctor': {
    post: customerOperation({
      operationId: 'checkReceiver',
      tag: 'Receivers',
      summary: 'Check a receiver against the whole protocol',
      description:
        'Sends up to six requests with marked sample events to this address and tells what passed, what failed, why it matters and what to do. ' +
        'Hashes and message ids begin with `sample-`, the campaign is `sample0000`, recipients are at example.com. ' +
        'Takes up to half a minute. One check an account at a time, six a minute.',
      body: { schema: receiverCheckInput, example: { address: campaignWebhookExample.address, kind: 'campaign' } },
      answer: { status: 200, text: 'The report.', schema: receiverReport, example: reportExample },
    }),
  },
};
