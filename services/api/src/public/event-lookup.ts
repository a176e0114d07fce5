import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, eventQuery } from '@mailhook/core';
import type { EventFinder } from '@mailhook/delivery';
import { addRoute, mustBe } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { accountOf } from './authenticate.ts';

interface EventLookupDeps {
  readonly finder: EventFinder;
  readonly reader: Pick<AccountReader, 'subscriptions'>;
}

/** "Why is this event late?": where the account's event is, by `hash` or `messageId`. */
export function addEventLookupRoute(router: Router, before: readonly RequestHandler[], deps: EventLookupDeps): void {
  addRoute(router, '/v3/webhook/events', { get: [...before, lookUp(deps)] });
}

const lookUp =
  ({ finder, reader }: EventLookupDeps): RequestHandler =>
  async (request, response) => {
    const { hash, messageId } = mustBe(eventQuery, request.query);
    const account = accountOf(response);
    if (hash !== undefined) {
      response.json(await finder.find(account, { hash }, [campaignDestinationId(account)]));
      return;
    }
    const subscriptions = await reader.subscriptions(account);
    const ids = subscriptions.map(({ id }) => id);
    response.json(await finder.find(account, { messageId: messageId ?? '' }, ids));
  };
