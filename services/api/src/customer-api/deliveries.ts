import type { RequestHandler, Router } from 'express';
import { deliveriesQuery } from '@mailhook/core';
import type { DeliveryAttempt } from '@mailhook/core';
import type { AttemptLog, Page } from '@mailhook/delivery';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import { accountOf } from '../auth/authenticate.ts';

/** Recent attempts of the account's deliveries, newest first. */
export type Deliveries = (account: string, query: unknown) => Promise<Page<DeliveryAttempt>>;

export const createDeliveries =
  ({ attempts }: { readonly attempts: Pick<AttemptLog, 'list'> }): Deliveries =>
  (account, query) =>
    attempts.list(account, parseOrThrow(deliveriesQuery, query));

export function addDeliveriesRoute(
  router: Router,
  before: readonly RequestHandler[],
  { deliveries }: { readonly deliveries: Deliveries },
): void {
  const get: RequestHandler = async (request, response) => {
    response.json(await deliveries(accountOf(response), request.query));
  };
  addRoute(router, '/v3/webhook/deliveries', { get: [...before, get] });
}
