import { isUrl } from '@mailhook/core';
import { LRUCache } from 'lru-cache';

/** An address in the parts that undici needs. */
export interface ParsedAddress {
  readonly origin: string;
  readonly path: string;
}

const KNOWN_MAX = 10_000;

/**
 * Parses addresses and caches the result, because parsing is costly for small requests. Gives undefined for anything
 * but an http(s) URL.
 */
export function createAddressParser(): (address: string) => ParsedAddress | undefined {
  const known = new LRUCache<string, ParsedAddress>({ max: KNOWN_MAX });
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const parsed = parse(address);
    if (parsed === undefined) return undefined;
    known.set(address, parsed);
    return parsed;
  };
}

function parse(address: string): ParsedAddress | undefined {
  if (!isUrl(address)) return undefined;
  const { protocol, origin, pathname, search } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? { origin, path: pathname + search } : undefined;
}
