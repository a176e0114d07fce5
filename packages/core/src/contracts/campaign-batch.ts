import { z } from 'zod';
import { CAMPAIGN_FIELDS } from './event-types.ts';
import { sentEvents } from './sent-event.ts';

/** Most events in one campaign request (docs/protocol.md). */
export const BATCH_EVENTS_MAX = 1000;

const common = {
  campaign: z.string().length(10),
  email: z.string().describe('The recipient.'),
  timestamp: z.int().describe('When it happened, in Unix seconds.'),
  attempt: z.int().min(1).describe('Counts the tries to deliver it, from 1.'),
  hash: z.string().min(10).max(50).describe('Names the event in the acknowledgement. Identical events have the same.'),
};

/** One element of the array that a receiver of campaign events gets (docs/protocol.md). */
export const campaignEvent = sentEvents(CAMPAIGN_FIELDS, 'event', common);
export type CampaignEvent = z.infer<typeof campaignEvent>;

/** The body of one campaign request. */
export const campaignBatch = z.array(campaignEvent).min(1).max(BATCH_EVENTS_MAX);
