import type { RequestHandler, Router } from 'express';
import { deliveriesQuery } from '@mailhook/core';
import type { AttemptLog } from '@mailhook/delivery';
import { addRoute, mustBe } from '@mailhook/platform/http-server';
import { accountOf } from './authenticate.ts';

interface DeliveriesDeps {
  readonly attempts: Pick<AttemptLog, 'list'>;
}

/** Recent attempts of the account's deliveries, newest first. */
export function addDeliveriesRoute(router: Router, before: readonly RequestHandler[], deps: DeliveriesDeps): void {
  addRoute(router, '/v3/webhook/deliveries', { get: [...before, list(deps)] });
}

const list =
  ({ attempts }: DeliveriesDeps): RequestHandler =>
  async (request, response) => {
    const query = mustBe(deliveriesQuery, request.query);
    response.json(await attempts.list(accountOf(response), query));
  };
