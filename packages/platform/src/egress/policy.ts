/** Where deliveries and connection tests may go. */
export interface EgressPolicy {
  /** Private and loopback addresses pass too; link-local and metadata addresses still do not. */
  readonly allowPrivate: boolean;
  /** Networks that pass whatever else is blocked. */
  readonly allowCidrs: readonly string[];
  readonly deniedPorts: readonly number[];
}

/** The policy of an environment read with `egressEnvironment`. */
export const egressPolicy = (config: {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  readonly DESTINATION_ALLOW_CIDRS: readonly string[];
  readonly DESTINATION_DENIED_PORTS: readonly number[];
}): EgressPolicy => ({
  allowPrivate: config.ALLOW_PRIVATE_DESTINATIONS,
  allowCidrs: config.DESTINATION_ALLOW_CIDRS,
  deniedPorts: config.DESTINATION_DENIED_PORTS,
});

/** The destination is one that Mailhook must not call. `message` is for the customer; it names no address that only a look-up told. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}
