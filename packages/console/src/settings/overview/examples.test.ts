import { acknowledgementItem, campaignBatch } from '@mailhook/core';
import { ACKNOWLEDGEMENT, BATCH } from './examples.ts';

describe('the examples on the page', () => {
  it('match the schemas of requests and answers', () => {
    const batch = campaignBatch.parse(JSON.parse(BATCH));
    expect(batch).toEqual(JSON.parse(BATCH));
    const [item] = JSON.parse(ACKNOWLEDGEMENT) as unknown[];
    expect(acknowledgementItem.parse(item)).toEqual({ hash: batch[0]?.hash, status: true });
  });
});
