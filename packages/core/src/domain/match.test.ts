import fc from 'fast-check';
import { exampleCampaignEvent } from '../contracts/producer-event.ts';
import { anyCampaignEvent, anyTransactionalEvent } from './arbitrary-events.suite.ts';
import { match, version1Route } from './match.ts';
import type { AccountRoutes, Route } from './match.ts';

const ROUTES: AccountRoutes = {
  transactional_email: {
    open: ['s-open-1', 's-open-2'].map(version1Route),
    click: ['s-click'].map(version1Route),
    bounce: [].map(version1Route),
  },
  campaign: {
    open: ['campaign-acc'].map(version1Route),
    click: ['campaign-acc', 'other'].map(version1Route),
    custom: ['other'].map(version1Route),
  },
};

describe('match', () => {
  it('routes an event to every active destination of its module and type, and to no other', () => {
    fc.assert(
      fc.property(fc.oneof(anyTransactionalEvent, anyCampaignEvent), (event) => {
        const expected =
          event.module === 'campaign' ? ROUTES.campaign[event.event] : ROUTES.transactional_email[event.name];
        expect(match(event, ROUTES).destinations).toEqual(expected ?? []);
        expect(match(event, ROUTES).isUnrouted === true).toBe(expected?.length === 0);
      }),
    );
  });

  it('leaves out a destination whose filter the event does not pass', () => {
    const first: Route = { ...version1Route('first'), passes: (event) => 'first' in event && event.first === true };
    const routes: AccountRoutes = { ...ROUTES, campaign: { open: [first, version1Route('all')] } };
    const open = exampleCampaignEvent('open');
    expect(match({ ...open, first: true }, routes)).toEqual({ destinations: [first, version1Route('all')] });
    expect(match(open, routes)).toEqual({ destinations: [version1Route('all')], filteredOut: [first] });
  });
});
