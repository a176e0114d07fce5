import { batchOutcome, coded, propertyOf, readBody, replyFix, sentence } from '@mailhook/core';
import type { Fault } from './findings.ts';

/**
 * Why the reply leaves events unacknowledged, in the words of real deliveries. Undefined if it acknowledges all of
 * them.
 */
export function confirmationFault(body: string, hashes: readonly string[]): Fault | undefined {
  const exchange = { type: 'reply', status: 200, statusText: '', retryAfter: undefined, body } as const;
  const { error } = batchOutcome(exchange, hashes);
  if (error === undefined) return undefined;
  return { detail: error.shownAs(sentence(String(error))), fix: coded(replyFix(error) ?? 'oneEach') };
}

/** How many items name a hash that was not sent. */
export function strangerCount(body: string, hashes: readonly string[]): number {
  const reply = readBody(body);
  if (reply.shape !== 'array') return 0;
  const sent = new Set(hashes);
  return reply.items.filter((item) => {
    const hash = propertyOf(item, 'hash');
    return typeof hash === 'string' && !sent.has(hash);
  }).length;
}
