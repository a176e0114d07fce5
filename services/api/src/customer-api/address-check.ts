import { literalAddressFault } from '@mailhook/platform/egress';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { invalid } from '@mailhook/platform/http-server';

/** Refuses, with a 422 that names `address`, what can be known to lead where Mailhook must not go. */
export type AddressCheck = (address: string) => void;

export const createAddressCheck =
  (policy: EgressPolicy): AddressCheck =>
  (address) => {
    const fault = literalAddressFault(address, policy);
    if (fault !== undefined) throw invalid([{ path: 'address', message: fault }]);
  };
