import { StoreUnavailableError } from '@mailhook/core';
import type { AccountSnapshot } from './snapshot.ts';
import { RecentMap } from './recent-map.ts';

/**
 * The accounts in memory (design, section 6): events are routed from here without waiting, and go on so while the store is down.
 * A change is seen at once on the replica that made it, and elsewhere as soon as its message arrives.
 */
export interface RoutingTable {
  /** The account as it may be used now; null: there is no such account; undefined: ask `load`. Starts a refresh when it grows old. */
  peek(account: string): AccountSnapshot | null | undefined;
  /** As `peek`, after a look-up where it is needed. Rejects with StoreUnavailableError when the account is not known here and cannot be looked up. */
  load(account: string): Promise<AccountSnapshot | null>;
  /** What a write on this replica has just read. Look-ups that began before are void. */
  install(account: string, snapshot: AccountSnapshot | null): void;
  /** The account has changed elsewhere: what is here must not be used again before a look-up. */
  invalidate(account: string): void;
  /** Messages may have been missed: everything is looked up again on its next use, and used as it is while the store is down. */
  doubtAll(): void;
}

interface Entry {
  snapshot: AccountSnapshot | null;
  /** From then on (ms of the clock) a use starts a refresh. */
  staleAtMs: number;
  /** `changed`: unusable before a look-up. `doubtful`: looked up first, but usable when that fails. */
  trust: 'good' | 'doubtful' | 'changed';
}

interface RoutingTableDeps {
  readonly lookUp: (account: string) => Promise<AccountSnapshot | undefined>;
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly freshMs?: number;
  /** Accounts kept: at least so many, at most twice as many. */
  readonly size?: number;
}

/** An account that is not there may be made at any moment, by a replica whose message is lost. */
const UNKNOWN_FRESH_MS = 500;
/** How long a doubtful or stale entry is used without another try, while the store is down. */
const TRY_AGAIN_MS = 1000;

export function createRoutingTable({ lookUp, now, freshMs = 30_000, size = 50_000 }: RoutingTableDeps): RoutingTable {
  const entries = new RecentMap<Entry>(size);
  const keep = (account: string, snapshot: AccountSnapshot | null): void => {
    const staleAtMs = now() + (snapshot === null ? UNKNOWN_FRESH_MS : freshMs);
    entries.set(account, { snapshot, staleAtMs, trust: 'good' });
  };
  const load = (account: string): Promise<AccountSnapshot | null> => {
    const known = peek(account);
    return known === undefined ? lookUps.run(account) : Promise.resolve(known);
  };
  const lookUps = createLookUps({
    lookUp,
    keep,
    again: load,
    fallbackOf: (account) => fallback(entries.get(account), now()),
  });

  const peek = (account: string): AccountSnapshot | null | undefined => {
    const entry = entries.get(account);
    if (entry?.trust !== 'good') return undefined;
    if (now() < entry.staleAtMs) return entry.snapshot;
    if (entry.snapshot === null) return undefined;
    // Used as it is; whoever comes next finds it fresh.
    lookUps.run(account).catch(() => undefined);
    return entry.snapshot;
  };

  return {
    peek,
    load,
    install: (account, snapshot) => {
      lookUps.cancel(account);
      keep(account, snapshot);
    },
    invalidate: (account) => {
      lookUps.cancel(account);
      const entry = entries.get(account);
      if (entry?.snapshot === null) entries.delete(account);
      else if (entry !== undefined) entry.trust = 'changed';
    },
    doubtAll: () => {
      lookUps.cancelAll();
      for (const entry of entries.values()) if (entry.trust === 'good') entry.trust = 'doubtful';
    },
  };
}

/** What may be used although the store is down; undefined: nothing. Not tried again for a while. */
function fallback(entry: Entry | undefined, nowMs: number): AccountSnapshot | undefined {
  if (entry === undefined || entry.trust === 'changed' || entry.snapshot === null) return undefined;
  entry.trust = 'good';
  entry.staleAtMs = nowMs + TRY_AGAIN_MS;
  return entry.snapshot;
}

interface LookUpDeps extends Pick<RoutingTableDeps, 'lookUp'> {
  readonly keep: (account: string, snapshot: AccountSnapshot | null) => void;
  /** What is used instead of a look-up that a change overtook. */
  readonly again: (account: string) => Promise<AccountSnapshot | null>;
  readonly fallbackOf: (account: string) => AccountSnapshot | undefined;
}

/** One look-up an account at a time; one that a change overtook is not believed. */
function createLookUps({ lookUp, keep, again, fallbackOf }: LookUpDeps) {
  const underWay = new Map<string, Promise<AccountSnapshot | null>>();
  const run = (account: string): Promise<AccountSnapshot | null> => {
    const joined = underWay.get(account);
    if (joined !== undefined) return joined;
    const isOvertaken = (): boolean => underWay.get(account) !== started;
    const started: Promise<AccountSnapshot | null> = lookUp(account).then(
      (found) => {
        if (isOvertaken()) return again(account);
        underWay.delete(account);
        keep(account, found ?? null);
        return found ?? null;
      },
      (error: unknown) => {
        if (!isOvertaken()) underWay.delete(account);
        const known = error instanceof StoreUnavailableError ? fallbackOf(account) : undefined;
        if (known === undefined) throw error;
        return known;
      },
    );
    underWay.set(account, started);
    return started;
  };
  return { run, cancel: (account: string) => underWay.delete(account), cancelAll: () => underWay.clear() };
}
