import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { coded } from '@mailhook/core';
import type { CodedText } from '@mailhook/core';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { addressVerdict } from './address-verdict.ts';
import { portOf } from './literal-address.ts';
import type { EgressPolicy } from './policy.ts';
import { BlockedAddressError, NO_ALLOWED_ADDRESS } from './policy.ts';
import type { Tunnel, TunnelOptions } from './proxy-tunnels.ts';
import { createTunnels } from './proxy-tunnels.ts';
import type { Names, Resolve } from './resolve.ts';
import { createNames } from './resolve.ts';
import type { SearchList } from './search-list.ts';
import { hasNoAddress, readSearchList, withSearchList } from './search-list.ts';
import type { TlsConnector, TlsOptions } from './tls-connector.ts';
import { createTlsConnector } from './tls-connector.ts';

export interface VettedConnector {
  readonly connect: TlsConnector;
  /**
   * Whether a connection to this IP address may still be used. It may if the address belongs to the host's name by a
   * DNS answer whose TTL has not ended, and if all addresses of the name are allowed. Returns a promise if a lookup is
   * needed. If no name server answers within a tenth of the timeout, the address counts as current. Never rejects.
   */
  isCurrent(hostname: string, address: string): boolean | Promise<boolean>;
}

export interface ConnectorOptions extends TlsOptions {
  /** From the lookup to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Connects through this proxy (`http://` or `https://`), with CONNECT to a vetted IP address. */
  readonly proxyUrl?: string | undefined;
  /** The default is the system's name servers. */
  readonly nameServers?: readonly string[] | undefined;
  readonly hostsFile?: string | undefined;
  /** For the name of the proxy. The default is that of resolv.conf. */
  readonly searchList?: SearchList | undefined;
  /**
   * For the operator's log: the name of a receiver leads to a blocked address. Called at most once a minute per name.
   */
  readonly onBlockedName?: ((name: string, address: string, verdict: string) => void) | undefined;
}

/** The lookup's share of the time, so that a failed lookup is reported before the request times out. */
const LOOKUP_SHARE = 0.8;
/** How long a request on a kept connection waits for a lookup, so that a dead name server delays it little. */
const RECHECK_SHARE = 0.1;

/**
 * Creates a connector for undici that connects only to addresses that the policy allows. It resolves the name itself,
 * vets every address, and connects to a vetted one, so that no second lookup can return another address. One blocked
 * address blocks the whole name. The Host header does not change, and the TLS name loses only a dot at its end. Fails
 * with `BlockedAddressError` before it sends a byte. With a proxy, all of this stays true.
 */
export function createVettedConnector(policy: EgressPolicy, options: ConnectorOptions): VettedConnector {
  const names = createNames({ ...options, timeoutMs: options.timeoutMs * LOOKUP_SHARE });
  const vet = createVet(policy, options.onBlockedName);
  const vetted: Resolve = async (hostname) => vet(hostname, await names.resolve(hostname));
  const connector: buildConnector.BuildOptions = {
    timeout: options.timeoutMs,
    // NODE_TLS_REJECT_UNAUTHORIZED must not change it.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    // Node's default of 250 ms per address is too short for a receiver on another continent.
    autoSelectFamilyAttemptTimeout: 1000,
  };
  const { proxyUrl } = options;
  const connect =
    proxyUrl === undefined
      ? createTlsConnector({ ...connector, lookup: lookupBy(vetted) }, options)
      : throughProxy(vetted, {
          ...options,
          proxyUrl,
          lookup: lookupBy(withSearchList(names.resolve, options.searchList ?? readSearchList())),
          connector,
        });
  return {
    connect(target, callback, onAccepted) {
      const fault = targetFault(target, policy);
      if (fault === undefined) connect(target, callback, onAccepted);
      else callback(new BlockedAddressError(fault, false), null);
    },
    isCurrent: createIsCurrent(names, vetted, options.timeoutMs * RECHECK_SHARE),
  };
}

function createIsCurrent(names: Names, vetted: Resolve, patienceMs: number): VettedConnector['isCurrent'] {
  const lookUp = (hostname: string, address: string): Promise<boolean> =>
    vetted(hostname).then(
      (addresses) => addresses.includes(address),
      (error: unknown) => !(error instanceof BlockedAddressError || hasNoAddress(error)),
    );
  // The answers that `vetted` has passed since they came.
  const passed = new WeakSet<readonly string[]>();
  return (hostname, address) => {
    if (isIP(hostname) !== 0) return true;
    const known = names.known(hostname);
    if (known !== undefined && passed.has(known)) return known.includes(address);
    const isCurrent = lookUp(hostname, address).then((isFound) => {
      const answer = names.known(hostname);
      if (isFound && answer !== undefined) passed.add(answer);
      return isFound;
    });
    return Promise.race([isCurrent, after(patienceMs, true, { ref: false })]);
  };
}

function targetFault(target: buildConnector.Options, policy: EgressPolicy): CodedText | undefined {
  const port = portOf(target.protocol, target.port);
  if (policy.deniedPorts.includes(port)) return coded('port', { port: String(port) });
  if (isIP(target.hostname) === 0) return undefined;
  const verdict = addressVerdict(target.hostname, policy);
  return verdict === undefined ? undefined : coded('ip', { ip: target.hostname, fault: verdict });
}

function throughProxy(vetted: Resolve, options: TunnelOptions): TlsConnector {
  const openTunnel = createTunnels(options);
  const startTls = createTlsConnector(options.connector, options);
  return (target, callback, onAccepted) => {
    const endMs = performance.now() + options.timeoutMs;
    const tunnel = async (): Promise<Tunnel> => {
      const addresses = isIP(target.hostname) === 0 ? await vetted(target.hostname) : [target.hostname];
      return openTunnel(addresses, portOf(target.protocol, target.port), endMs);
    };
    tunnel().then(
      ({ socket, address }) => {
        onAccepted?.(address);
        if (target.protocol === 'https:') startTls({ ...target, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

const LOG_EVERY_MS = 60_000;
const LOGGED_NAMES_MAX = 1000;

function createVet(policy: EgressPolicy, onBlockedName: ConnectorOptions['onBlockedName']) {
  const logged = new LRUCache<string, true>({ max: LOGGED_NAMES_MAX, ttl: LOG_EVERY_MS });
  return (hostname: string, addresses: readonly string[]): readonly string[] => {
    for (const address of addresses) {
      const verdict = addressVerdict(address, policy);
      if (verdict === undefined) continue;
      if (!logged.has(hostname)) {
        logged.set(hostname, true);
        onBlockedName?.(hostname, address, String(verdict));
      }
      throw new BlockedAddressError(NO_ALLOWED_ADDRESS, true);
    }
    return addresses;
  };
}

/** The lookup function that `net.connect` calls for a name. */
const lookupBy =
  (resolve: Resolve): LookupFunction =>
  (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
        if (lookupOptions.all === true) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
