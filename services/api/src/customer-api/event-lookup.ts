import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, eventQuery } from '@mailhook/core';
import type { EventTraces } from '@mailhook/core';
import type { EventFinder } from '@mailhook/delivery';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { accountOf, EVENT_SEARCH_PATH } from '../auth/authenticate.ts';
import { createLookupLimiter } from './lookup-limiter.ts';

interface EventLookupDeps {
  readonly finder: EventFinder;
  readonly reader: Pick<AccountReader, 'subscriptions'>;
}

/** Finds events of the account by `hash`, `messageId`, `webhookId` or `email`, so that a customer can see why it is late. */
export type EventLookup = (account: string, query: unknown) => Promise<EventTraces>;

export const createEventLookup = ({ finder, reader }: EventLookupDeps): EventLookup => {
  const turns = createLookupLimiter();
  return async (account, query) => {
    const { hash, messageId, webhookId, email } = parseOrThrow(eventQuery, query);
    return turns.run(account, async () => {
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
};

export function addEventLookupRoute(
  router: Router,
  before: readonly RequestHandler[],
  { eventLookup }: { readonly eventLookup: EventLookup },
): void {
  const get: RequestHandler = async (request, response) => {
    response.json(await eventLookup(accountOf(response), request.query));
  };
  const search: RequestHandler = async (request, response) => {
    response.json(await eventLookup(accountOf(response), request.body));
  };
  addRoute(router, '/v3/webhook/events', { get: [...before, get] });
  addRoute(router, EVENT_SEARCH_PATH, { post: [...before, search] });
}
