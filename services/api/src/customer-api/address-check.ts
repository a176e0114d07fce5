import { literalAddressFault } from '@mailhook/platform/egress';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { invalid } from '@mailhook/platform/http-server';

/** Refuses a literal IP address or port that Mailhook must not connect to, with a 422 that names `address`. */
export type AddressCheck = (address: string) => void;

export const createAddressCheck =
  (policy: EgressPolicy): AddressCheck =>
  (address) => {
    const fault = literalAddressFault(address, policy);
    if (fault !== undefined) throw invalid([{ path: 'address', message: fault }]);
  };
