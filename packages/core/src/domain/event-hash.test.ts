import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { campaignInput } from '../contracts/producer-event.ts';
import type { CampaignInput } from '../contracts/producer-event.ts';
import { anyCampaignEvent, anyText, without } from './arbitrary-events.suite.ts';
import { DERIVED_HASH_CHARS, eventHash } from './event-hash.ts';

const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64url');
const hash = (event: CampaignInput) => eventHash(event, digest);

const CLICK = {
  account: 'acc',
  module: 'campaign',
  event: 'click',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1_700_000_000,
  url: 'https://example.com/',
} as const;
const OPEN = {
  account: 'acc',
  module: 'campaign',
  event: 'open',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1_700_000_000,
} as const;

describe('eventHash', () => {
  it('is a valid hash of at least 128 bits', () => {
    fc.assert(
      fc.property(anyCampaignEvent, (event) => {
        expect(hash(event)).toMatch(/^[\w-]{22}$/);
      }),
    );
    expect(DERIVED_HASH_CHARS * 6).toBeGreaterThanOrEqual(128);
    expect(campaignInput.safeParse({ ...CLICK, hash: hash(CLICK) }).success).toBe(true);
  });

  it('depends only on the identifying fields', () => {
    fc.assert(
      fc.property(anyCampaignEvent, anyText, anyText, (event, id, account) => {
        expect(hash({ ...event, id, account })).toBe(hash(event));
      }),
    );
  });

  it.each<[string, CampaignInput]>([
    ['event', { ...OPEN, event: 'unsubscribe' }],
    ['event (click)', { ...CLICK, event: 'click' }],
    ['campaign', { ...OPEN, campaign: 'c0ffee1235' }],
    ['email', { ...OPEN, email: 'Ann@example.com' }],
    ['timestamp', { ...OPEN, timestamp: OPEN.timestamp + 1 }],
  ])('differs when %s differs', (_field, event) => {
    expect(hash(event)).not.toBe(hash(OPEN));
  });

  it('differs when the url differs', () => {
    expect(hash({ ...CLICK, url: 'https://example.com/#' })).not.toBe(hash(CLICK));
  });

  it('differs for different events, even if their concatenated fields are equal', () => {
    expect(hash({ ...OPEN, campaign: 'ab', email: 'c' })).not.toBe(hash({ ...OPEN, campaign: 'a', email: 'bc' }));
    expect(hash({ ...OPEN, email: '\ud800' })).not.toBe(hash({ ...OPEN, email: '\ud801' }));
    fc.assert(
      fc.property(anyCampaignEvent, anyCampaignEvent, (one, other) => {
        const fields = (event: CampaignInput) => JSON.stringify(Object.entries(without(event, 'account')).sort());
        expect(hash(one) === hash(other)).toBe(fields(one) === fields(other));
      }),
    );
  });
});
