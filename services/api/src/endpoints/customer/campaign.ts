import { campaignTestInput, campaignWebhook, campaignWebhookInput, testQuery, testResult } from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import { DEADLINE } from '../answers.ts';
import { endpoint } from './endpoint.ts';
import { shownResult } from './test-answer.ts';

export const campaignWebhookExample = { address: 'https://hooks.example.com/campaign', active: true };

const tag = 'Campaign webhook';
const path = '/v3/webhook/campaign';

export const campaignEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'readCampaignWebhook',
    tag,
    summary: 'Read the campaign webhook',
    isVersioned: true,
    answer: { status: 200, text: 'The setting.', schema: campaignWebhook, example: campaignWebhookExample },
    handle: async ({ account, noteVersion }, { campaign }) => {
      const setting = await campaign.read(account);
      noteVersion(versionOf(setting));
      return setting;
    },
  }),
  endpoint({
    method: 'put',
    path,
    operationId: 'setCampaignWebhook',
    tag,
    summary: 'Set the campaign webhook',
    description: 'Every event that is accepted after the answer is sent to this address. active is true unless given.',
    audit: 'save campaign webhook',
    isVersioned: true,
    sends: 'batch',
    body: { schema: campaignWebhookInput, example: campaignWebhookExample },
    answer: {
      status: 200,
      text: 'The setting as it is now.',
      schema: campaignWebhook,
      example: campaignWebhookExample,
    },
    handle: ({ account, body, onUnchanged, ifVersion }, { campaign }) =>
      campaign.write(account, body, onUnchanged, ifVersion),
  }),
  endpoint({
    method: 'post',
    path: `${path}/test`,
    operationId: 'testCampaignWebhook',
    tag,
    summary: 'Run the connection test or send a sample batch',
    description:
      `Sends \`{"test": "..."}\` and expects a 2xx with \`{"status": "ok"}\` within ${DEADLINE}. ` +
      'Without a body, or with `{}`: to the saved address. With `"send": "batch"`: a batch of three marked sample ' +
      'events, one of each type, which the reply must confirm.',
    audit: false,
    sends: 'connectionTest',
    query: testQuery,
    body: { schema: campaignTestInput, example: { address: campaignWebhookExample.address }, isOptional: true },
    answer: {
      status: 200,
      text: 'The test result.',
      schema: testResult,
      example: { success: false, message: 'Request error (curl) 404 - HTTP/1.1 404 Not Found' },
    },
    handle: async ({ account, query, body }, { campaign }) =>
      shownResult(await campaign.test(account, body), query, true),
  }),
];
