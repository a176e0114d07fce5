import { campaignFragment, FRAGMENT_SEPARATOR } from '@mailhook/core';
import type { CampaignInput } from '@mailhook/core';

/** The campaign of every sample event: 10 characters, as the spec has it. */
export const SAMPLE_CAMPAIGN = 'sample0000';

/** Events as they will be sent, before `attempt` is known, and their hashes in the same order. */
export interface SampleBatch {
  readonly fragments: string;
  readonly hashes: readonly string[];
}

const KINDS = ['click', 'open', 'unsubscribe'] as const;

/**
 * Sample events of mechanism B, written by the same code as real ones. Marked, so that a receiver can tell and drop them: hashes begin with
 * `sample-`, the campaign is `sample0000`, recipients are at example.com (RFC 2606). `run` makes the hashes of each check its own.
 */
export function sampleBatch(run: string, positions: readonly number[], nowMs: number): SampleBatch {
  const events = positions.map((position) => sampleCampaignEvent(run, position, nowMs));
  return {
    fragments: events.map(({ event, hash }) => campaignFragment(event, hash)).join(FRAGMENT_SEPARATOR),
    hashes: events.map(({ hash }) => hash),
  };
}

function sampleCampaignEvent(run: string, position: number, nowMs: number): { event: CampaignInput; hash: string } {
  const common = {
    account: '',
    module: 'campaign',
    campaign: SAMPLE_CAMPAIGN,
    email: `sample.reader.${position}@example.com`,
    timestamp: Math.floor(nowMs / 1000),
  } as const;
  const hash = `sample-${run}-${position}`;
  const event = KINDS[position % KINDS.length] ?? 'open';
  if (event === 'click') return { event: { ...common, event, url: 'https://www.example.com/offers?page=2' }, hash };
  return { event: { ...common, event }, hash };
}
