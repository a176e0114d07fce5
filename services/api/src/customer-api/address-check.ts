import { literalAddressFault } from '@mailhook/platform/egress';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { invalid } from '@mailhook/platform/http-server';

/** Refuses an address with a literal IP, a localhost name or a port that Mailhook must not connect to. Throws a 422 that names `address`. */
export type AddressCheck = (address: string) => void;

export const createAddressCheck =
  (policy: EgressPolicy): AddressCheck =>
  (address) => {
    const fault = literalAddressFault(address, policy);
    if (fault !== undefined) throw invalid([{ path: 'address', message: fault }]);
  };
