import { receiverCheckInput, receiverReport } from '@mailhook/core';
import { campaignWebhookExample } from './campaign.ts';
import { endpoint } from './endpoint.ts';

const example = {
  address: campaignWebhookExample.address,
  kind: 'campaign',
  shape: 'batch',
  version: 1,
  passed: 1,
  failed: 1,
  checks: [
    {
      id: 'reachable',
      title: 'It can be reached, and answers',
      outcome: 'passed',
      detail: 'A connection was made.',
      why: 'Without a reply nothing is delivered.',
    },
    {
      id: 'status',
      title: 'It answers a batch with HTTP 200',
      outcome: 'failed',
      detail: 'The receiver answered HTTP 202 instead of 200.',
      why:
        'A batch is taken as received with exactly 200. Every other status, 202 and 204 included, means: send it ' +
        'again.',
      fix: 'Answer exactly 200.',
      mend: 'Answer exactly 200.',
    },
  ],
};

export const receiverCheckEndpoints = [
  endpoint({
    method: 'post',
    path: '/v3/webhook/doctor',
    operationId: 'checkReceiver',
    tag: 'Receivers',
    summary: 'Check a receiver against the whole protocol',
    description:
      'Sends up to six requests with marked sample events to this destination or address, in its shape and ' +
      'version, and tells what passed, what failed, why it matters and what to do. ' +
      'Hashes and message ids begin with `sample-`, the campaign is `sample0000`, recipients are at example.com. ' +
      'Takes up to half a minute. One check an account at a time, six a minute.',
    audit: false,
    body: { schema: receiverCheckInput, example: { address: campaignWebhookExample.address, kind: 'campaign' } },
    answer: { status: 200, text: 'The report.', schema: receiverReport, example },
    handle: ({ account, body }, { receiverCheck }) => receiverCheck(account, body),
  }),
];
