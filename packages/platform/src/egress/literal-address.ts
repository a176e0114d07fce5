import { isUrl } from '@mailhook/core';
import { isIP } from 'node:net';
import { addressVerdict } from './address-verdict.ts';
import type { EgressPolicy } from './policy.ts';

/**
 * Describes the fault of a receiver's address without a DNS lookup, as the end of a sentence ("must not ..."), for the
 * 422 when it is saved. Covers IP addresses in every spelling that the URL parser understands, localhost and names
 * below it, and denied ports. Returns undefined if it finds no fault. The lookup at delivery may still find a blocked
 * address.
 */
export function literalAddressFault(address: string, policy: EgressPolicy): string | undefined {
  if (!isUrl(address)) return 'is not a valid URL';
  const url = new URL(address);
  const port = portOf(url.protocol, url.port);
  if (policy.deniedPorts.includes(port)) return `must not use port ${port}`;
  const ip = literalIp(url.hostname);
  const verdict = ip === undefined ? undefined : addressVerdict(ip, policy);
  return verdict === undefined ? undefined : `must not lead to ${String(verdict)}; use a public address`;
}

export const portOf = (protocol: string, port: string): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/**
 * The IP address of a URL's host without a DNS lookup: a literal, or loopback for `localhost` and names below it (RFC
 * 6761).
 */
function literalIp(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(host) !== 0) return host;
  return isLocalhost(host) ? '127.0.0.1' : undefined;
}

export const isLocalhost = (name: string): boolean => /^([^.]+\.)*localhost\.?$/i.test(name);
