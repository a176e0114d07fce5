import { randomBytes } from 'node:crypto';
import type { ProducerEvent } from '@mailhook/core';

/**
 * One event of every kind. Each start has a new message and a new campaign, so that no event looks like a duplicate.
 */
export interface Samples {
  readonly messageId: string;
  readonly campaignId: string;
  readonly transactional: readonly ProducerEvent[];
  readonly campaign: readonly ProducerEvent[];
}

export function makeSamples(account: string, now: Date): Samples {
  const run = randomBytes(5).toString('hex');
  const messageId = `demo-${run}`;
  const seconds = Math.floor(now.getTime() / 1000);
  const message = { account, module: 'transactional_email', messageId, time: seconds } as const;
  const reader = {
    account,
    module: 'campaign',
    campaign: run,
    email: 'reader@example.com',
    timestamp: seconds,
  } as const;
  const url = 'https://shop.example.com/spring';
  return {
    messageId,
    campaignId: run,
    transactional: [
      { ...message, name: 'open', ip: '192.0.2.10' },
      { ...message, name: 'click', ip: '192.0.2.10', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', url },
      { ...message, name: 'bounce', type: 'hard', reason: '550 5.1.1 User unknown' },
    ],
    campaign: [
      { ...reader, event: 'open' },
      { ...reader, event: 'click', url },
      { ...reader, event: 'unsubscribe' },
    ],
  };
}
