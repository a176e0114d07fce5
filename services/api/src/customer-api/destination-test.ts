import { typesIn } from '@mailhook/core';
import type { CustomerServices, DestinationTestInput, ShownDestination } from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AddressCheck } from './address-check.ts';
import type { ReceiverTests, SampledDestination } from './receiver-tests.ts';
import { newSettings, unknownDestination } from './stored-destinations.ts';

interface DestinationTestDeps {
  readonly reader: AccountReader;
  readonly tests: Pick<ReceiverTests, 'sample'>;
  readonly checkAddress: AddressCheck;
}

/** The tests of a destination, saved or not. Each sends one sample event as the destination would get it. */
export function createDestinationTests({
  reader,
  tests,
  checkAddress,
}: DestinationTestDeps): Pick<CustomerServices['destinations'], 'test' | 'testUnsaved'> {
  const send = (
    account: string,
    tested: SampledDestination & Pick<ShownDestination, 'types'>,
    input: DestinationTestInput,
  ) => {
    const types = typesIn(tested.module, tested.types);
    const type = input.type ?? types[0];
    if (type === undefined || !types.includes(type))
      throw invalid([{ path: 'type', message: `must be one of the types of this destination: ${types.join(', ')}` }]);
    checkAddress(tested.address);
    return tests.sample(account, tested, type, input.event);
  };
  return {
    async test(account, id, input) {
      const found = (await reader.destinations(account)).find((one) => one.id === id);
      if (found === undefined) throw unknownDestination();
      return send(account, found, input);
    },
    async testUnsaved(account, settings, input) {
      const { types, version, shape } = newSettings(settings);
      const { module, address } = settings;
      return send(account, { module, address, types, version, shape }, input);
    },
  };
}
