import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { addressVerdict } from './address-verdict.ts';
import { portOf } from './literal-address.ts';
import type { EgressPolicy } from './policy.ts';
import { BlockedAddressError } from './policy.ts';
import type { Resolve } from './resolve.ts';
import { createResolve } from './resolve.ts';

/** Like undici's connector, and returns the socket that it connects. Undefined if the address is blocked. */
export type VettedConnector = (...call: Parameters<buildConnector.connector>) => Socket | undefined;

export interface ConnectorOptions {
  /** From the lookup to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Certificates to trust besides Node's own. */
  readonly ca?: string | undefined;
  /** The default is the system's name servers. */
  readonly nameServers?: readonly string[] | undefined;
  readonly hostsFile?: string | undefined;
}

/** The lookup's share of the time, so that a failed lookup is reported before the request times out. */
const LOOKUP_SHARE = 0.8;

/**
 * Creates a connector for undici that connects only to addresses that the policy allows. It resolves the name itself, vets every address, and connects to
 * a vetted one, so that no second lookup can return another address. One blocked address blocks the whole name. The Host header and the TLS name do not
 * change. Fails with `BlockedAddressError` before it sends a byte.
 */
export function createVettedConnector(policy: EgressPolicy, options: ConnectorOptions): VettedConnector {
  const lookup = createVettedLookup(createResolve({ ...options, timeoutMs: options.timeoutMs * LOOKUP_SHARE }), policy);
  const connect = buildConnector({
    lookup,
    timeout: options.timeoutMs,
    autoSelectFamily: true,
    // Node's default of 250 ms per address is too short for a receiver on another continent.
    autoSelectFamilyAttemptTimeout: 1000,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
  });
  return (target, callback) => {
    const fault = targetFault(target, policy);
    // undici returns the socket, which its types do not show.
    if (fault === undefined) return (connect as VettedConnector)(target, callback);
    callback(new BlockedAddressError(fault), null);
    return undefined;
  };
}

function targetFault(target: buildConnector.Options, policy: EgressPolicy): string | undefined {
  const port = portOf(target.protocol, target.port);
  if (policy.deniedPorts.includes(port)) return `port ${port} is not allowed`;
  if (isIP(target.hostname) === 0) return undefined;
  const verdict = addressVerdict(target.hostname, policy);
  return verdict === undefined ? undefined : `${target.hostname} is ${verdict}`;
}

/** The lookup function that `net.connect` calls for a name. */
function createVettedLookup(resolve: Resolve, policy: EgressPolicy): LookupFunction {
  const vetted = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(hostname);
    for (const address of addresses) {
      const verdict = addressVerdict(address, policy);
      if (verdict !== undefined) throw new BlockedAddressError(`${hostname} resolves to ${verdict}`);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (hostname, lookupOptions, callback) => {
    vetted(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (lookupOptions.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
}
