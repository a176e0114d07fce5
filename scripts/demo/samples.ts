import { randomBytes } from 'node:crypto';
import { CAMPAIGN_FIELDS, exampleCampaignEvent, exampleEvent, namesOf, NOTIFICATION_FIELDS } from '@mailhook/core';
import type { CampaignInput, TransactionalEvent } from '@mailhook/core';

/**
 * One event of every kind. Each start has a new message and a new campaign, so that no event looks like a duplicate.
 */
export interface Samples {
  readonly messageId: string;
  readonly campaignId: string;
  readonly transactional: readonly TransactionalEvent[];
  readonly campaign: readonly CampaignInput[];
}

export function makeSamples(account: string, now: Date): Samples {
  const run = randomBytes(5).toString('hex');
  const messageId = `demo-${run}`;
  const seconds = Math.floor(now.getTime() / 1000);
  const reader = { account, campaign: run, email: 'reader@example.com', timestamp: seconds };
  return {
    messageId,
    campaignId: run,
    transactional: namesOf(NOTIFICATION_FIELDS).map((name) => ({
      ...exampleEvent(name),
      account,
      messageId,
      time: seconds,
    })),
    campaign: namesOf(CAMPAIGN_FIELDS).map((event) => ({ ...exampleCampaignEvent(event), ...reader })),
  };
}

/** Names the samples for the terminal. */
export const tellSamples = ({ transactional, campaign }: Samples): string =>
  `notifications ${transactional.map(({ name }) => name).join(', ')}; ` +
  `campaign events ${campaign.map(({ event }) => event).join(', ')}`;
