import type { CampaignInput } from '../contracts/event.ts';

/** SHA-256 of a text (UTF-8), base64url without padding. Passed in, so that core stays free of IO and node modules. */
export type Digest = (text: string) => string;

/** Characters of a derived hash: 22 of base64url are 132 bits. A collision would confirm a stranger's event. */
export const DERIVED_HASH_CHARS = 22;

/** JSON text of a campaign event's identifying fields and nothing else: as it will be sent, but for `hash` and `attempt`. */
export function identityText(event: CampaignInput): string {
  const { event: name, campaign, email, timestamp } = event;
  return event.event === 'click'
    ? JSON.stringify({ event: name, campaign, email, timestamp, url: event.url })
    : JSON.stringify({ event: name, campaign, email, timestamp });
}

/**
 * The hash of a campaign event that came without one (spec, "Campaign event": 10 to 50 characters; "Delivery rules" 3: events with
 * the same hash carry identical information). Covers event, campaign, email, timestamp and url: equal for equal fields, different
 * when one differs.
 */
export const derivedHash = (identity: string, digest: Digest): string => digest(identity).slice(0, DERIVED_HASH_CHARS);

export const eventHash = (event: CampaignInput, digest: Digest): string => derivedHash(identityText(event), digest);
