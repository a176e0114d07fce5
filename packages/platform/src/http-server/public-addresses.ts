import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import { addressVerdict } from '../egress/index.ts';

const ANY_ADDRESSES = ['0.0.0.0', '::'];
const NOTHING_ALLOWED = { allowPrivate: false, allowCidrs: [], deniedPorts: [] };

/**
 * Returns the addresses from the internet at which a listener on `host` can be reached: itself, or those of the
 * machine's interfaces if it is a wildcard. A name counts as inside.
 */
export function publicAddressesOf(host: string, interfaces = networkInterfaces()): string[] {
  const own = Object.values(interfaces).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const reachable = ANY_ADDRESSES.includes(host) ? own.filter((one) => host === '::' || isIP(one) === 4) : [host];
  return reachable.filter((one) => isIP(one) !== 0 && addressVerdict(one, NOTHING_ALLOWED) === undefined);
}
