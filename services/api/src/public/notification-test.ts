import type { RequestHandler, Router } from 'express';
import { subscriptionInput } from '@mailhook/core';
import { addRoute, mustBe } from '@mailhook/platform/http-server';
import type { AddressCheck } from './address-check.ts';
import { accountOf } from './authenticate.ts';
import type { ReceiverTests } from './receiver-tests.ts';

interface NotificationTestDeps {
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
}

/** Endpoint 6 of the spec, with and without the trailing slash. */
export function addNotificationTestRoute(
  router: Router,
  before: readonly RequestHandler[],
  deps: NotificationTestDeps,
): void {
  addRoute(router, '/v3/webhook/notificationTest', { post: [...before, run(deps)] });
}

const run =
  ({ tests, checkAddress }: NotificationTestDeps): RequestHandler =>
  async (request, response) => {
    const { address, type } = mustBe(subscriptionInput, request.body);
    checkAddress(address);
    response.json(await tests.notification(accountOf(response), address, type));
  };
