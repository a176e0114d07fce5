import type { RequestHandler, Router } from 'express';
import { subscriptionInput } from '@mailhook/core';
import type { TestResult } from '@mailhook/core';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AddressCheck } from './address-check.ts';
import { accountOf } from '../auth/authenticate.ts';
import type { ReceiverTests } from './receiver-tests.ts';
import { answerTest } from './test-answer.ts';

interface NotificationTestDeps {
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
}

/** Sends a sample notification to the address in the body. */
export type NotificationTest = (account: string, body: unknown) => Promise<TestResult>;

export const createNotificationTest =
  ({ tests, checkAddress }: NotificationTestDeps): NotificationTest =>
  (account, body) => {
    const { address, type } = parseOrThrow(subscriptionInput, body);
    checkAddress(address);
    return tests.notification(account, address, type);
  };

/** Adds `POST /v3/webhook/notificationTest`, with and without a trailing slash. */
export function addNotificationTestRoute(
  router: Router,
  before: readonly RequestHandler[],
  { notificationTest }: { readonly notificationTest: NotificationTest },
): void {
  const post: RequestHandler = (request, response) =>
    answerTest(request, response, () => notificationTest(accountOf(response), request.body));
  addRoute(router, '/v3/webhook/notificationTest/', { post: [...before, post] });
}
