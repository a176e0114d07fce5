import { acknowledgement } from './acknowledgement.ts';
import { BATCH_EVENTS_MAX, campaignBatch } from './campaign-batch.ts';

const OPEN = {
  event: 'open',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1,
  attempt: 1,
  hash: 'h'.repeat(10),
};

describe('campaignBatch', () => {
  it('holds 1 to 1000 events', () => {
    expect(BATCH_EVENTS_MAX).toBe(1000);
    expect(campaignBatch.safeParse([]).success).toBe(false);
    expect(campaignBatch.safeParse(Array.from({ length: 1000 }, () => OPEN)).success).toBe(true);
    expect(campaignBatch.safeParse(Array.from({ length: 1001 }, () => OPEN)).success).toBe(false);
  });

  it.each([OPEN, { ...OPEN, event: 'unsubscribe' }, { ...OPEN, event: 'click', url: 'https://x/' }])(
    'accepts %j',
    (event) => {
      expect(campaignBatch.parse([event])).toEqual([event]);
    },
  );

  it.each([
    { ...OPEN, url: 'https://x/' },
    { ...OPEN, event: 'click' },
    { ...OPEN, event: 'bounce' },
    { ...OPEN, attempt: 0 },
    { ...OPEN, campaign: 'short' },
    { ...OPEN, hash: 'h'.repeat(51) },
    { ...OPEN, account: 'acc' },
  ])('refuses an event that does not follow the protocol: %j', (event) => {
    expect(campaignBatch.safeParse([event]).success).toBe(false);
  });
});

describe('acknowledgement', () => {
  it('is an array of {hash, status}', () => {
    expect(acknowledgement.parse([{ hash: 'a', status: true }])).toEqual([{ hash: 'a', status: true }]);
    expect(acknowledgement.safeParse([{ hash: 'a', status: 'true' }]).success).toBe(false);
  });
});
