import type { z } from 'zod';
import type { subscriptionInput, TestResult } from '@mailhook/core';
import type { AddressCheck } from './address-check.ts';
import type { ReceiverTests } from './receiver-tests.ts';

interface NotificationTestDeps {
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
}

/**
 * Sends a sample notification to an address. `subscription`: id of the tested subscription. Without it,
 * the test uses the login and the secrets of the account's subscription at this address.
 */
export type NotificationTest = (
  account: string,
  input: z.infer<typeof subscriptionInput>,
  subscription?: string,
) => Promise<TestResult>;

export const createNotificationTest =
  ({ tests, checkAddress }: NotificationTestDeps): NotificationTest =>
  async (account, { address, type }, subscription) => {
    checkAddress(address);
    return tests.notification(account, address, type, subscription);
  };
