import { typesIn } from '@mailhook/core';
import type { CustomerServices } from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AddressCheck } from './address-check.ts';
import type { ReceiverTests } from './receiver-tests.ts';
import { unknownDestination } from './stored-destinations.ts';

interface DestinationTestDeps {
  readonly reader: AccountReader;
  readonly tests: Pick<ReceiverTests, 'sample'>;
  readonly checkAddress: AddressCheck;
}

export const createDestinationTest =
  ({ reader, tests, checkAddress }: DestinationTestDeps): CustomerServices['destinations']['test'] =>
  async (account, id, input) => {
    const found = (await reader.destinations(account)).find((one) => one.id === id);
    if (found === undefined) throw unknownDestination();
    const types = typesIn(found.module, found.types);
    const type = input.type ?? types[0];
    if (type === undefined || !types.includes(type))
      throw invalid([{ path: 'type', message: `must be one of the types of this destination: ${types.join(', ')}` }]);
    checkAddress(found.address);
    return tests.sample(account, found, type);
  };
