import { campaignBatch } from '@mailhook/core';
import type { ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent } from '@mailhook/testing';

const read = new WeakMap<ReceivedRequest, string[]>();
/**
 * The recipients in a request, by which tests distinguish events. Parses each request once, because a search makes
 * hundreds.
 */
export function emails(request: ReceivedRequest): string[] {
  const known = read.get(request) ?? campaignBatch.parse(request.json).map(({ email }) => email);
  read.set(request, known);
  return known;
}

export const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));
