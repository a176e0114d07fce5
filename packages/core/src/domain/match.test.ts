import fc from 'fast-check';
import { anyCampaignEvent, anyTransactionalEvent } from './arbitrary-events.suite.ts';
import { match } from './match.ts';
import type { AccountRoutes } from './match.ts';

const ROUTES: AccountRoutes = {
  transactional_email: { open: ['s-open-1', 's-open-2'], click: ['s-click'], bounce: [] },
  campaign: { open: ['campaign-acc'], click: ['campaign-acc', 'other'], custom: ['other'] },
};

describe('match', () => {
  it('routes an event to every active destination of its module and type, and to no other', () => {
    fc.assert(
      fc.property(fc.oneof(anyTransactionalEvent, anyCampaignEvent), (event) => {
        const expected =
          event.module === 'campaign' ? ROUTES.campaign[event.event] : ROUTES.transactional_email[event.name];
        expect(match(event, ROUTES)).toEqual(expected ?? []);
      }),
    );
  });
});
