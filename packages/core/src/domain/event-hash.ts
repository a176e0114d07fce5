import type { CampaignInput } from '../contracts/producer-event.ts';

/**
 * SHA-256 of a text in UTF-8, as base64url without padding. Callers pass it in, so that core imports no Node.js module.
 */
export type Digest = (text: string) => string;

/**
 * The length of a derived hash. 22 base64url characters are 132 bits. With a collision, acknowledging one event would
 * acknowledge another event too.
 */
export const DERIVED_HASH_CHARS = 22;

/**
 * The JSON text of a campaign event's identifying fields: the event as it will be sent, without `hash` and `attempt`.
 */
export function identityText(event: CampaignInput): string {
  const { event: name, campaign, email, timestamp } = event;
  return event.event === 'click'
    ? JSON.stringify({ event: name, campaign, email, timestamp, url: event.url })
    : JSON.stringify({ event: name, campaign, email, timestamp });
}

/**
 * The hash of a campaign event that came without one. It covers event, campaign, email, timestamp and url, because
 * events with the same hash must carry identical information (docs/protocol.md).
 */
export const derivedHash = (identity: string, digest: Digest): string => digest(identity).slice(0, DERIVED_HASH_CHARS);

export const eventHash = (event: CampaignInput, digest: Digest): string => derivedHash(identityText(event), digest);
