import type { z } from 'zod';
import type { receiverCheckInput, ReceiverReport } from '@mailhook/core';
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
 * Runs the receiver doctor for an account. `subscription`: id of the tested subscription, if it is known. Takes up to
 * six deadlines.
 */
export type ReceiverCheck = (
  account: string,
  input: z.infer<typeof receiverCheckInput>,
  subscription?: string,
) => Promise<ReceiverReport>;

/**
 * Checks an address that the account has saved or is about to save. Refuses an address that may not be saved (422).
 * Each account runs one check at a time, and a few per minute (429 with `Retry-After`).
 */
export const createReceiverCheck =
  ({ doctor, turns, credentials, checkAddress }: ReceiverCheckDeps): ReceiverCheck =>
  async (account, { address, kind }, subscription) => {
    checkAddress(address);
    const { secrets, headers } = await credentials(account, { address, kind, subscription });
    return turns.run(account, () => doctor({ account, address, kind, secrets, headers }));
  };
