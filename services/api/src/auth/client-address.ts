import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';

/** Finds the client's address like `request.ip` of Express, for requests that Express never sees. */
export type ClientAddress = (request: IncomingMessage) => string;

/** @param app its setting `trust proxy` names the proxies that may send `X-Forwarded-For`. */
export function createClientAddress(app: Express): ClientAddress {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return ({ socket, headers }) => {
    const own = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrusted(own, 0)) return own;
    // The nearest proxy wrote the last address. From there back, the first address that is not a trusted proxy is the client's.
    const addresses = [own, ...String(forwarded).split(',').reverse()].map((address) => address.trim());
    return addresses.find((address, hop) => !isTrusted(address, hop)) ?? addresses.at(-1) ?? own;
  };
}
