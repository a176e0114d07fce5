import type { CustomerServices } from '@mailhook/core';
import type { Doctor } from '@mailhook/doctor';
import type { AddressCheck } from './address-check.ts';
import type { ReadCredentials } from './credentials.ts';
import type { RequestLimiter } from './check-limiter.ts';

interface ReceiverCheckDeps {
  readonly doctor: Doctor;
  readonly turns: RequestLimiter;
  readonly credentials: ReadCredentials;
  readonly checkAddress: AddressCheck;
}

/**
 * Checks an address that the account has saved or is about to save. Refuses an address that may not be saved (422).
 * Each account runs one check at a time, and a few per minute (429 with `Retry-After`).
 */
export const createReceiverCheck =
  ({ doctor, turns, credentials, checkAddress }: ReceiverCheckDeps): CustomerServices['receiverCheck'] =>
  async (account, { address, kind }, destination) => {
    checkAddress(address);
    const { secrets, headers } = await credentials(account, { address, kind, destination });
    return turns.run(account, () => doctor({ account, address, kind, secrets, headers }));
  };
