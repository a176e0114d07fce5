import type { CampaignInput } from '../contracts/event.ts';

/** SHA-256 of a text (UTF-8), base64url without padding. Passed in, so that core stays free of IO and node modules. */
export type Digest = (text: string) => string;

/** Characters of a derived hash: 22 of base64url are 132 bits. A collision would confirm a stranger's event. */
export const DERIVED_HASH_CHARS = 22;

/**
 * The hash of a campaign event that came without one (spec, "Campaign event": 10 to 50 characters; "Delivery rules" 3: events with
 * the same hash carry identical information). Covers event, campaign, email, timestamp and url: equal for equal fields, different
 * when one differs.
 */
export function eventHash(event: CampaignInput, digest: Digest): string {
  const identity = [
    event.event,
    event.campaign,
    event.email,
    event.timestamp,
    event.event === 'click' ? event.url : null,
  ];
  return digest(JSON.stringify(identity)).slice(0, DERIVED_HASH_CHARS);
}
