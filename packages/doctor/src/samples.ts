import {
  CAMPAIGN_FIELDS,
  campaignFragment,
  exampleCampaignEvent,
  FRAGMENT_SEPARATOR,
  namesOf,
  SAMPLE_CAMPAIGN,
} from '@mailhook/core';
import type { CampaignInput } from '@mailhook/core';

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
