import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Application, Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/**
 * Finds the client's IP address, without a port. Used instead of `request.ip` of Express, which takes any text of a
 * proxy for an address.
 */
export type ClientAddress = (request: IncomingMessage) => string;

type IsTrusted = (address: string, hop: number) => boolean;

/** @param app its setting `trust proxy` names the proxies that may send `X-Forwarded-For`. */
export function createClientAddress(app: Application): ClientAddress {
  const isTrusted = app.get('trust proxy fn') as IsTrusted;
  return ({ socket, headers }) => {
    const own = addressIn(socket.remoteAddress ?? '') ?? 'unknown';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrusted(own, 0)) return own;
    // The nearest proxy wrote the last address. From there back, the first address that is not a trusted proxy is the
    // client's.
    let client = own;
    for (const [hop, text] of String(forwarded).split(',').reverse().entries()) {
      const address = addressIn(text);
      // A proxy that names no address, such as `unknown`, is the nearest that is known of the client.
      if (address === undefined) return client;
      client = address;
      if (!isTrusted(address, hop + 1)) return client;
    }
    return client;
  };
}

/** Whether the peer of a request's connection is a proxy that the app's setting `trust proxy` names. */
export function isFromTrustedProxy({ app, socket }: Request): boolean {
  const isTrusted = app.get('trust proxy fn') as IsTrusted;
  const own = addressIn(socket.remoteAddress ?? '');
  return own !== undefined && isTrusted(own, 0);
}

/** The address of a request's client, for handlers of Express. */
export const clientAddressOf = (request: Request): string => createClientAddress(request.app)(request);

/**
 * The forms in which proxies write an address: with a port, in brackets, quoted, with a zone, and IPv4 as IPv6.
 * Undefined for other texts.
 */
function addressIn(text: string): string | undefined {
  const [, bracketed, ipv4, other = ''] =
    /^"?(?:\[([^\]]*)\](?::\d*)?|(\d+\.\d+\.\d+\.\d+)(?::\d*)?|([^"]*))"?$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? ipv4 ?? other).replace(/%.*$/, '').replace(MAPPED_IPV4, '');
  return isIP(address) === 0 ? undefined : address;
}

/** The start of an IPv4 address that is written as IPv6. */
const MAPPED_IPV4 = /^(?:::|(?:0{1,4}:){5})ffff:(?=\d+\.)/i;

const REMEMBERED = 10_000;
// Remembered, because parsing takes longer than the rest of a sign-in.
const keys = new LRUCache<string, string>({ max: REMEMBERED, memoMethod: networkOf });

/**
 * Who a client is, for limits: an IPv4 address, or the /56 of an IPv6 address, because one client may own all of it.
 */
export const clientKey = (address: string): string => keys.memo(address);

function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv4
    ? ip.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${ip.toString()}/56`).toString();
}
