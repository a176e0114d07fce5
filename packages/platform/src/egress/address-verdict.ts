import { coded } from '@mailhook/core';
import type { CodedText, PlainCode } from '@mailhook/core';
import ipaddr from 'ipaddr.js';
import type { EgressPolicy } from './policy.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/**
 * Why an IP address is blocked, in the form "a private address". Undefined if it is allowed. A text that is not an IP
 * address is blocked.
 */
export function addressVerdict(ip: string, policy: EgressPolicy): CodedText | undefined {
  if (!ipaddr.isValid(ip)) return coded('not-ip');
  const given = ipaddr.parse(ip);
  const { denied, allowed, nat64 } = networksOf(policy);
  const address = unwrapped(given, nat64);
  const inIsatap = isatapAddress(address);
  const all = inIsatap === undefined ? [given, address] : [given, address, inIsatap];
  if (all.some((one) => isListed(one, denied))) return DENIED;
  if (all.some((one) => isListed(one, allowed))) return undefined;
  const isOwn = !policy.allowPrivate && isOwnAddress(all, policy.ownAddresses?.() ?? []);
  return (inIsatap && rangeVerdict(inIsatap, policy)) ?? rangeVerdict(address, policy) ?? (isOwn ? DENIED : undefined);
}

/** Customers read it, so it does not name the operator's reason. */
const DENIED = coded('denied');

function rangeVerdict(address: Address, policy: EgressPolicy): CodedText | undefined {
  if (isListed(address, METADATA)) return coded('metadata');
  const range = rangeOf(address);
  if (range === 'unicast' || (policy.allowPrivate && PRIVATE_RANGES.has(range))) return undefined;
  return coded(RANGE_CODES[range] ?? 'reserved');
}

function isOwnAddress(addresses: readonly Address[], own: readonly string[]): boolean {
  const names = new Set(addresses.map((address) => address.toNormalizedString()));
  return own.some((ip) => ipaddr.isValid(ip) && names.has(ipaddr.parse(ip).toNormalizedString()));
}

/**
 * The metadata and host services of clouds. Most are not link-local, so they are listed, and even `allowPrivate` does
 * not allow them.
 */
const METADATA = [
  '169.254.169.254/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((network) => ipaddr.parseCIDR(network));

const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

const RANGE_CODES: Readonly<Record<string, PlainCode>> = {
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
};

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

function rangeOf(address: Address): string {
  const range = address.range();
  if (range !== 'unicast' || address instanceof ipaddr.IPv4) return range;
  // ipaddr.js calls every range without a name unicast, but only 2000::/3 is assigned.
  return address.match(GLOBAL_UNICAST_V6) ? range : 'reserved';
}

/** The byte position of the IPv4 address in the IPv6 forms that lead to it. Teredo inverts its bits. */
const EMBEDDINGS = [
  { network: '::ffff:0:0/96', at: 12, isInverted: false },
  { network: '::ffff:0:0:0/96', at: 12, isInverted: false },
  { network: '64:ff9b::/96', at: 12, isInverted: false },
  { network: '2002::/16', at: 2, isInverted: false },
  { network: '2001::/32', at: 12, isInverted: true },
  { network: '::/96', at: 12, isInverted: false },
].map(({ network, at, isInverted }) => ({ network: ipaddr.IPv6.parseCIDR(network), at, isInverted }));

/**
 * The IPv4 address inside an IPv4-mapped, IPv4-translated, NAT64, 6to4, Teredo or IPv4-compatible address. Other
 * addresses are returned as they are. `nat64` has more NAT64 prefixes.
 */
function unwrapped(address: Address, nat64: readonly Network[]): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const range = address.range();
  if (range === 'loopback' || range === 'unspecified') return address;
  const [, bits] = nat64.find(([network, length]) => isListed(address, [[network, length]])) ?? [];
  if (bits !== undefined) {
    // RFC 6052, section 2.2: byte 8 is not used by shorter prefixes.
    const bytes = address.toByteArray().filter((_, i) => i !== 8 || bits === 96);
    return new ipaddr.IPv4(bytes.slice(bits / 8, bits / 8 + 4));
  }
  const form = EMBEDDINGS.find(({ network }) => address.match(network));
  if (form === undefined) return address;
  const bytes = address.toByteArray().slice(form.at, form.at + 4);
  return new ipaddr.IPv4(form.isInverted ? bytes.map((byte) => byte ^ 0xff) : bytes);
}

/** The IPv4 address at the end of an ISATAP address, in any network. */
function isatapAddress(address: Address): Address | undefined {
  if (address instanceof ipaddr.IPv4) return undefined;
  const bytes = address.toByteArray();
  const isIsatap = ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
}

interface Networks {
  readonly denied: readonly Network[];
  readonly allowed: readonly Network[];
  readonly nat64: readonly Network[];
}

/** A cache, because this runs for every connection. */
const parsedPolicies = new WeakMap<EgressPolicy, Networks>();

function networksOf(policy: EgressPolicy): Networks {
  const known = parsedPolicies.get(policy);
  if (known !== undefined) return known;
  const parsed = (networks: readonly string[] = []) => networks.map((network) => ipaddr.parseCIDR(network));
  const networks = {
    denied: parsed(policy.denyCidrs),
    allowed: parsed(policy.allowCidrs),
    nat64: parsed(policy.nat64Prefixes),
  };
  parsedPolicies.set(policy, networks);
  return networks;
}

const isListed = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => {
    if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
    return network instanceof ipaddr.IPv6 && address.match(network, bits);
  });
