import { randomBytes } from 'node:crypto';
import type { CampaignInput, TransactionalEvent } from '@mailhook/core';

type Open = Extract<TransactionalEvent, { name: 'open' }>;
type Click = Extract<TransactionalEvent, { name: 'click' }>;
type Bounce = Extract<TransactionalEvent, { name: 'bounce' }>;

/**
 * The prefix, a hyphen and random hex digits. Use it for names that no other test may have, such as key prefixes,
 * accounts and message ids.
 */
export const uniqueName = (prefix = 'test'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

const transactional = () =>
  ({ account: 'acme', module: 'transactional_email', messageId: uniqueName('message'), time: 1_700_000_000 }) as const;

export const anOpen = (more: Partial<Open> = {}): Open => ({
  ...transactional(),
  name: 'open',
  ip: '192.0.2.7',
  ...more,
});

export const aClick = (more: Partial<Click> = {}): Click => ({
  ...transactional(),
  name: 'click',
  ip: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  url: 'https://shop.example.com/sale?a=1&b=2',
  ...more,
});

export const aBounce = (more: Partial<Bounce> = {}): Bounce => ({
  ...transactional(),
  name: 'bounce',
  type: 'hard',
  reason: '550 5.1.1 no such user',
  ...more,
});

/** A campaign event with a random hash, by default an open. Only a click has a `url`. */
export function aCampaignEvent(
  more: Partial<Omit<CampaignInput, 'event' | 'url'>> & { event?: CampaignInput['event']; url?: string } = {},
): CampaignInput {
  const { event = 'open', url = 'https://shop.example.com/sale', ...rest } = more;
  const common = {
    account: 'acme',
    module: 'campaign',
    campaign: 'aBcDeFgHiJ',
    email: 'anna@example.com',
    timestamp: 1_700_000_000,
    hash: randomBytes(16).toString('hex'),
    ...rest,
  } as const;
  return event === 'click' ? { ...common, event, url } : { ...common, event };
}
