import fc from 'fast-check';
import { anyCampaignEvent, anyTransactionalEvent } from './arbitrary-events.suite.ts';
import { match } from './match.ts';

const ROUTES = {
  subscriptions: { open: ['s-open-1', 's-open-2'], click: ['s-click'], bounce: [] },
  campaign: 'campaign-acc',
} as const;

describe('match', () => {
  it('routes a transactional event to every active subscription of its type, and to no other', () => {
    fc.assert(
      fc.property(anyTransactionalEvent, (event) => {
        expect(match(event, ROUTES)).toEqual(ROUTES.subscriptions[event.name]);
      }),
    );
  });

  it('routes a campaign event to the campaign destination, or nowhere while it is inactive', () => {
    fc.assert(
      fc.property(anyCampaignEvent, (event) => {
        expect(match(event, ROUTES)).toEqual(['campaign-acc']);
        expect(match(event, { ...ROUTES, campaign: null })).toEqual([]);
      }),
    );
  });
});
