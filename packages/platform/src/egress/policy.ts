/** The addresses and ports that deliveries and connection tests may use. */
export interface EgressPolicy {
  /** Allows private and loopback addresses too. Link-local and metadata addresses stay blocked. */
  readonly allowPrivate: boolean;
  /** Networks that are always allowed, even if another rule blocks them. */
  readonly allowCidrs: readonly string[];
  readonly deniedPorts: readonly number[];
}

/** The policy from the variables of `egressEnvironment`. */
export const egressPolicy = (config: {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  readonly DESTINATION_ALLOW_CIDRS: readonly string[];
  readonly DESTINATION_DENIED_PORTS: readonly number[];
}): EgressPolicy => ({
  allowPrivate: config.ALLOW_PRIVATE_DESTINATIONS,
  allowCidrs: config.DESTINATION_ALLOW_CIDRS,
  deniedPorts: config.DESTINATION_DENIED_PORTS,
});

/** Mailhook must not call this address. `message` is for the customer, and names no IP address that only a lookup showed. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}
