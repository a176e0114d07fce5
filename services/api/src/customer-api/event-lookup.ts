import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, eventQuery } from '@mailhook/core';
import type { EventTraces } from '@mailhook/core';
import type { EventFinder } from '@mailhook/delivery';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { accountOf } from '../auth/authenticate.ts';
import type { RequestLimits } from '../auth/request-limits.ts';

interface EventLookupDeps {
  readonly finder: EventFinder;
  readonly reader: Pick<AccountReader, 'subscriptions'>;
  readonly limits: Pick<RequestLimits, 'charge' | 'scan'>;
}

/** Requests that the search of waiting events and dead letters counts as. The search of the log counts by its rows. */
const LOOKUP_COST = 20;

/** Finds events of the account by `hash`, `messageId`, `webhookId` or `email`, so that a customer can see why it is late. */
export type EventLookup = (account: string, query: unknown) => Promise<EventTraces>;

export const createEventLookup =
  ({ finder, reader, limits }: EventLookupDeps): EventLookup =>
  async (account, query) => {
    const { hash, messageId, webhookId, email } = parseOrThrow(eventQuery, query);
    return limits.scan(account, async () => {
      limits.charge(account, LOOKUP_COST);
      const campaign = { id: campaignDestinationId(account), kind: 'campaign' } as const;
      if (hash !== undefined) return finder.find(account, { hash }, [campaign]);
      if (email !== undefined) return finder.find(account, { email }, [campaign]);
      const subscriptions = (await reader.subscriptions(account)).map(({ id }) => ({
        id,
        kind: 'transactional' as const,
      }));
      if (webhookId !== undefined) return finder.find(account, { webhookId }, [campaign, ...subscriptions]);
      return finder.find(account, { messageId: messageId ?? '' }, subscriptions);
    });
  };

export function addEventLookupRoute(
  router: Router,
  before: readonly RequestHandler[],
  { eventLookup }: { readonly eventLookup: EventLookup },
): void {
  const get: RequestHandler = async (request, response) => {
    response.json(await eventLookup(accountOf(response), request.query));
  };
  addRoute(router, '/v3/webhook/events', { get: [...before, get] });
}
