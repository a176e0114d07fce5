import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';

/** The client's address as `request.ip` of Express has it, for requests that Express never sees. */
export type ClientAddress = (request: IncomingMessage) => string;

/** @param app its setting `trust proxy` names the proxies whose `X-Forwarded-For` is believed. */
export function createClientAddress(app: Express): ClientAddress {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return ({ socket, headers }) => {
    const own = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrusted(own, 0)) return own;
    // The nearest proxy wrote the last address. The first one that no trusted proxy stands for is the client's.
    const addresses = [own, ...String(forwarded).split(',').reverse()].map((address) => address.trim());
    return addresses.find((address, hop) => !isTrusted(address, hop)) ?? addresses.at(-1) ?? own;
  };
}
