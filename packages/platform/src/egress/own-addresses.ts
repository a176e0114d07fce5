import { networkInterfaces } from 'node:os';

const KEPT_MS = 10_000;
let addresses: readonly string[] = [];
let readMs = Number.NEGATIVE_INFINITY;

/** The addresses of this machine's network interfaces, at most 10 s old, because IPv6 addresses change. */
export function ownAddresses(): readonly string[] {
  if (performance.now() - readMs > KEPT_MS) {
    addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
    readMs = performance.now();
  }
  return addresses;
}
