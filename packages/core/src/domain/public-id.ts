import { campaignDestinationId } from './destination.ts';

/** What customers call the webhook of the specification, which each account may have once. */
const CAMPAIGN_WEBHOOK = 'campaign';

/** A destination's id as customers know it. */
export const publicIdOf = (account: string, id: string): string =>
  id === campaignDestinationId(account) ? CAMPAIGN_WEBHOOK : id;

/** The id of the account's destination that customers know by this one. */
export const destinationIdOf = (account: string, publicId: string): string =>
  publicId === CAMPAIGN_WEBHOOK ? campaignDestinationId(account) : publicId;
