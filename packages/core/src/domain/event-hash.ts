import { CAMPAIGN_FIELDS } from '../contracts/event-types.ts';
import { forEachName } from '../contracts/tables.ts';
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
 * The JSON text of a campaign event's identifying fields: the event as version 1 sends it, without `hash` and
 * `attempt`.
 *
 * @throws RangeError for a type that version 1 does not have.
 */
export function identityText(event: CampaignInput): string {
  const write = writers[event.event as keyof typeof writers] as (typeof writers)['open'] | undefined;
  if (write === undefined) throw new RangeError(`version 1 has no campaign event ${event.event}`);
  return write(event);
}

/** Writes the fields that only events of one type have, as the end of a JSON object. */
export function ownFieldsWriter(fields: object): (event: Readonly<Record<string, unknown>>) => string {
  const starts = Object.keys(fields).map((name) => [name, `,"${name}":`] as const);
  return (event) => {
    let json = '';
    for (const [name, start] of starts) json += start + JSON.stringify(event[name]);
    return json;
  };
}

/** One writer per type, made once. */
const writers = forEachName(CAMPAIGN_FIELDS, (name) => {
  const writeOwn = ownFieldsWriter(CAMPAIGN_FIELDS[name]);
  return (event: CampaignInput): string =>
    `{"event":"${name}","campaign":${JSON.stringify(event.campaign)},"email":${JSON.stringify(event.email)}` +
    `,"timestamp":${event.timestamp}${writeOwn(event)}}`;
});

/**
 * The hash of a campaign event that came without one. It covers event, campaign, email, timestamp and url, because
 * events with the same hash must carry identical information (docs/protocol.md).
 */
export const derivedHash = (identity: string, digest: Digest): string => digest(identity).slice(0, DERIVED_HASH_CHARS);

export const eventHash = (event: CampaignInput, digest: Digest): string => derivedHash(identityText(event), digest);
