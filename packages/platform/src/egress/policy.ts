import { coded } from '@mailhook/core';
import type { CodedText } from '@mailhook/core';
import { ownAddresses } from './own-addresses.ts';

/** The addresses and ports that deliveries and connection tests may use. */
export interface EgressPolicy {
  /** Allows private and loopback addresses too. Link-local and metadata addresses stay blocked. */
  readonly allowPrivate: boolean;
  /** Networks that are allowed even if another rule than `denyCidrs` blocks them. */
  readonly allowCidrs: readonly string[];
  /** Networks that are never allowed. Default: none. */
  readonly denyCidrs?: readonly string[];
  /**
   * Prefixes of 32, 40, 48, 56, 64 or 96 bits (RFC 6052) behind which the network reaches IPv4 addresses. Default: only
   * 64:ff9b::/96.
   */
  readonly nat64Prefixes?: readonly string[];
  /** The addresses of this machine, which are blocked unless they are allowed. Default: none. */
  readonly ownAddresses?: () => readonly string[];
  readonly deniedPorts: readonly number[];
}

/** The policy from the variables of `egressEnvironment`. */
export const egressPolicy = (config: {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  readonly DESTINATION_ALLOW_CIDRS: readonly string[];
  readonly DESTINATION_DENY_CIDRS: readonly string[];
  readonly NAT64_PREFIXES: readonly string[];
  readonly DESTINATION_DENIED_PORTS: readonly number[];
}): EgressPolicy => ({
  allowPrivate: config.ALLOW_PRIVATE_DESTINATIONS,
  allowCidrs: config.DESTINATION_ALLOW_CIDRS,
  denyCidrs: config.DESTINATION_DENY_CIDRS,
  nat64Prefixes: config.NAT64_PREFIXES,
  ownAddresses,
  deniedPorts: config.DESTINATION_DENIED_PORTS,
});

/** Mailhook must not call this address. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  /** Whether a lookup of the name led to the address. Customers must not learn what it found. */
  readonly isByLookup: boolean;
  readonly reason: CodedText;
  constructor(reason: CodedText, isByLookup: boolean) {
    super(String(reason));
    this.reason = reason;
    this.isByLookup = isByLookup;
  }
}

/**
 * For a name without an address and for one with a blocked address, so that nobody learns which names exist in the
 * operator's network.
 */
export const NO_ALLOWED_ADDRESS = coded('no-address');
