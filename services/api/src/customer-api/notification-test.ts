import type { CustomerServices } from '@mailhook/core';
import type { AddressCheck } from './address-check.ts';
import type { ReceiverTests } from './receiver-tests.ts';

interface NotificationTestDeps {
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
}

export const createNotificationTest =
  ({ tests, checkAddress }: NotificationTestDeps): CustomerServices['notificationTest'] =>
  async (account, { address, type }, subscription) => {
    checkAddress(address);
    return tests.notification(account, address, type, subscription);
  };
