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

/**
 * Sends a sample notification to the address in the body. `subscription`: id of the tested subscription. Without it,
 * the test has the login and the signature of the subscription with this address.
 */
export type NotificationTest = (account: string, body: unknown, subscription?: string) => Promise<TestResult>;

export const createNotificationTest =
  ({ tests, checkAddress }: NotificationTestDeps): NotificationTest =>
  (account, body, subscription) => {
    const { address, type } = parseOrThrow(subscriptionInput, body);
    checkAddress(address);
    return tests.notification(account, address, type, subscription);
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
