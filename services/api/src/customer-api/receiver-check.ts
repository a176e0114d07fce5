import { KINDS } from '@mailhook/core';
import type { CustomerServices } from '@mailhook/core';
import type { Doctor } from '@mailhook/doctor';
import { invalid } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AddressCheck } from './address-check.ts';
import type { ReadCredentials } from './credentials.ts';
import type { RequestLimiter } from './check-limiter.ts';
import { unknownDestination } from './stored-destinations.ts';

interface ReceiverCheckDeps {
  readonly reader: AccountReader;
  readonly doctor: Doctor;
  readonly turns: RequestLimiter;
  readonly credentials: ReadCredentials;
  readonly checkAddress: AddressCheck;
}

/**
 * Checks a destination, or an address that the account has saved or is about to save. Refuses an address that may not
 * be saved (422). Each account runs one check at a time, and a few per minute (429 with `Retry-After`).
 */
export const createReceiverCheck =
  ({ reader, doctor, turns, credentials, checkAddress }: ReceiverCheckDeps): CustomerServices['receiverCheck'] =>
  async (account, input, tested) => {
    const { address, kind, shape, version, destination } =
      input.destination === undefined
        ? { ...input, version: input.version ?? (input.shape === undefined ? 1 : 2), destination: tested }
        : await receiverOf(reader, account, input.destination);
    if (address === undefined || kind === undefined) throw invalid([{ path: 'address', message: 'is required' }]);
    checkAddress(address);
    const { secrets, headers } = await credentials(account, { address, kind, destination });
    const receiver = { account, address, kind, version, secrets, headers };
    return turns.run(account, () => doctor(shape === undefined ? receiver : { ...receiver, shape }));
  };

async function receiverOf(reader: AccountReader, account: string, id: string) {
  const found = (await reader.destinations(account)).find((one) => one.id === id);
  if (found === undefined) throw unknownDestination();
  const { address, module, shape, version } = found;
  return { address, kind: KINDS[module], shape, version, destination: id };
}
