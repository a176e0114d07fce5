import { hasHttps } from '@mailhook/core';
import { literalAddressFault } from '@mailhook/platform/egress';
import type { EgressPolicy } from '@mailhook/platform/egress';
import { invalid } from '@mailhook/platform/http-server';

/**
 * Refuses an address with a literal IP, a localhost name or a port that Mailhook must not connect to. Throws a 422 that
 * names `address`.
 */
export type AddressCheck = (address: string) => void;

export const createAddressCheck =
  (policy: EgressPolicy): AddressCheck =>
  (address) => {
    const fault = literalAddressFault(address, policy);
    if (fault !== undefined) throw invalid([{ path: 'address', message: fault }]);
  };

/**
 * The same for an address that will be saved. With `HTTPS_ONLY_DESTINATIONS` it also refuses an address without https,
 * unless it is the one that is saved already.
 */
export type SavedAddressCheck = (
  address: string,
  savedBefore: () => Promise<string | null | undefined>,
) => Promise<void>;

export const createSavedAddressCheck =
  (checkAddress: AddressCheck, isHttpsOnly: boolean): SavedAddressCheck =>
  async (address, savedBefore) => {
    checkAddress(address);
    if (!isHttpsOnly || hasHttps(address) || address === (await savedBefore())) return;
    throw invalid([{ path: 'address', message: 'must begin with https://; let your server answer over TLS first' }]);
  };
