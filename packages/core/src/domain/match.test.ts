import fc from 'fast-check';
import { anyCampaignEvent, anyTransactionalEvent } from './arbitrary-events.suite.ts';
import { match } from './match.ts';

const ROUTES = {
  subscriptions: { open: ['s-open-1', 's-open-2'], click: ['s-click'], bounce: [] },
  campaign: 'campaign-acc',
} as const;

describe('match', () => {
  it('gives an event of mechanism A to every active subscription of its type, and to nobody else', () => {
    fc.assert(
      fc.property(anyTransactionalEvent, (event) => {
        expect(match(event, ROUTES)).toEqual(ROUTES.subscriptions[event.name]);
      }),
    );
  });

  it('gives a campaign event to the one campaign destination, or to none while it is off', () => {
    fc.assert(
      fc.property(anyCampaignEvent, (event) => {
        expect(match(event, ROUTES)).toEqual(['campaign-acc']);
        expect(match(event, { ...ROUTES, campaign: null })).toEqual([]);
      }),
    );
  });
});
