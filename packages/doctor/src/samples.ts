import {
  CAMPAIGN_FIELDS,
  campaignFragment,
  exampleCampaignEvent,
  FRAGMENT_SEPARATOR,
  moduleOf,
  namesOf,
  SAMPLE_CAMPAIGN,
  sampleEvent,
  version2Fragment,
} from '@mailhook/core';
import type { CampaignInput, Mechanism, SubscriptionType } from '@mailhook/core';

/** Sample events as fragments (without `attempt`), and their hashes in the same order. */
export interface SampleBatch {
  readonly fragments: string;
  readonly hashes: readonly string[];
}

const TYPES = namesOf(CAMPAIGN_FIELDS);
/** The positions of a batch with an event of each type. */
export const ONE_OF_EACH = [...TYPES.keys()];

/**
 * Campaign sample events, serialized by the same code as real ones. Receivers can recognize and ignore them: hashes
 * begin with `sample-`, the campaign is `sample0000`, recipients are at example.com (RFC 2606). `run` makes the hashes
 * of each check unique.
 */
export function sampleBatch(run: string, positions: readonly number[], nowMs: number): SampleBatch {
  const events = positions.map((position) => sampleCampaignEvent(run, position, nowMs));
  return {
    fragments: events.map(({ event, hash }) => campaignFragment(event, hash)).join(FRAGMENT_SEPARATOR),
    hashes: events.map(({ hash }) => hash),
  };
}

function sampleCampaignEvent(run: string, position: number, nowMs: number): { event: CampaignInput; hash: string } {
  const type = TYPES[position % TYPES.length] as CampaignInput['event'];
  const hash = `sample-${run}-${position}`;
  const email = `sample.reader.${position}@example.com`;
  const timestamp = Math.floor(nowMs / 1000);
  return { event: { ...exampleCampaignEvent(type), campaign: SAMPLE_CAMPAIGN, email, timestamp }, hash };
}

/** The fragment of a sample of version 2. `id` names it in an acknowledgement too. */
export const version2Sample = (kind: Mechanism, type: SubscriptionType, id: string, nowMs: number): string =>
  // Its id has the length of a hash, so that nothing is derived.
  version2Fragment(sampleEvent(moduleOf(kind), type, id, nowMs), () => id);

/** The same as `sampleBatch`, in version 2. */
export function version2Batch(kind: Mechanism, run: string, positions: readonly number[], nowMs: number): SampleBatch {
  const hashes = positions.map((position) => `sample-${run}-${position}`);
  return {
    fragments: hashes.map((hash) => version2Sample(kind, 'open', hash, nowMs)).join(FRAGMENT_SEPARATOR),
    hashes,
  };
}
