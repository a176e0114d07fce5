import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, eventQuery } from '@mailhook/core';
import type { EventTraces } from '@mailhook/core';
import type { EventFinder } from '@mailhook/delivery';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { accountOf } from '../auth/authenticate.ts';
import { createLookupLimiter } from './lookup-limiter.ts';

interface EventLookupDeps {
  readonly finder: EventFinder;
  readonly reader: Pick<AccountReader, 'subscriptions'>;
}

/** Finds an event of the account by `hash` or `messageId`, so that a customer can see why it is late. */
export type EventLookup = (account: string, query: unknown) => Promise<EventTraces>;

export const createEventLookup = ({ finder, reader }: EventLookupDeps): EventLookup => {
  const turns = createLookupLimiter();
  return async (account, query) => {
    const { hash, messageId } = parseOrThrow(eventQuery, query);
    return turns.run(account, async () => {
      if (hash !== undefined) return finder.find(account, { hash }, [campaignDestinationId(account)]);
      const subscriptions = await reader.subscriptions(account);
      const ids = subscriptions.map(({ id }) => id);
      return finder.find(account, { messageId: messageId ?? '' }, ids);
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
  addRoute(router, '/v3/webhook/events', { get: [...before, get] });
}
