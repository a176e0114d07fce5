import { LRUCache } from 'lru-cache';
import { EVENTS_PER_REQUEST_MAX, StoreUnavailableError } from '@mailhook/core';
import type { AccountSnapshot } from './snapshot.ts';

/**
 * Keeps accounts in memory, so that events are routed without waiting for the store, and even while the store is down.
 * The replica that makes a change sees it at once. Other replicas see it as soon as its message arrives.
 */
export interface RoutingTable {
  /**
   * Returns the account, null if it does not exist, or undefined if `load` must look it up. Starts a refresh if the
   * account is stale.
   */
  peek(account: string): AccountSnapshot | null | undefined;
  /**
   * Like `peek`, but with a lookup if needed. Rejects with StoreUnavailableError if the account is not in memory and
   * the store is down.
   */
  load(account: string): Promise<AccountSnapshot | null>;
  /**
   * Stores the snapshot that a write on this replica has just read. The results of lookups that began earlier are
   * ignored.
   */
  install(account: string, snapshot: AccountSnapshot | null): void;
  /** Adds an account that is not in memory if there is room, so that its events are taken while the store is down. */
  add(account: string, snapshotOf: () => AccountSnapshot): void;
  /** Marks the account as changed elsewhere. Its entry is not used again before a lookup. */
  invalidate(account: string): void;
  /**
   * Call it when messages may have been missed. Each entry is looked up again on its next use, but still serves while
   * the store is down.
   */
  doubtAll(): void;
}

interface Entry {
  snapshot: AccountSnapshot;
  /** From this time on (by `now`), a use starts a refresh. */
  staleAtMs: number;
  /**
   * A `changed` entry is unusable before a lookup. A `doubtful` entry is looked up too, but is usable while the store
   * is down.
   */
  trust: 'good' | 'doubtful' | 'changed';
}

interface RoutingTableDeps {
  readonly lookUp: (account: string) => Promise<AccountSnapshot | undefined>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly freshMs?: number;
  /** The table keeps this number of accounts, the last used ones. */
  readonly size?: number;
}

/**
 * How long a missing account counts as missing. Another replica may create it at any moment, and its message may be
 * lost.
 */
const UNKNOWN_FRESH_MS = 500;
/**
 * The missing accounts of the largest request. They have a separate place in memory, so that they never push out
 * accounts that exist.
 */
const UNKNOWN_SIZE = EVENTS_PER_REQUEST_MAX;
/** How long a doubtful or stale entry is used without another lookup, while the store is down. */
const TRY_AGAIN_MS = 1000;

export function createRoutingTable({ lookUp, now, freshMs = 30_000, size = 50_000 }: RoutingTableDeps): RoutingTable {
  const entries = new LRUCache<string, Entry>({ max: size });
  /** Until when each missing account counts as missing, by `now`. */
  const missing = new LRUCache<string, number>({ max: UNKNOWN_SIZE });
  const keep = (account: string, snapshot: AccountSnapshot | null): void => {
    if (snapshot === null) {
      entries.delete(account);
      missing.set(account, now() + UNKNOWN_FRESH_MS);
    } else {
      missing.delete(account);
      entries.set(account, { snapshot, staleAtMs: now() + freshMs, trust: 'good' });
    }
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
    if (entry === undefined) return now() < (missing.get(account) ?? 0) ? null : undefined;
    if (entry.trust !== 'good') return undefined;
    if (now() < entry.staleAtMs) return entry.snapshot;
    // Serve the stale entry now. Later calls get the refreshed one.
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
    add: (account, snapshotOf) => {
      if (!entries.has(account) && entries.size < size) keep(account, snapshotOf());
    },
    invalidate: (account) => {
      lookUps.cancel(account);
      missing.delete(account);
      const entry = entries.get(account);
      if (entry !== undefined) entry.trust = 'changed';
    },
    doubtAll: () => {
      lookUps.cancelAll();
      missing.clear();
      for (const [, entry] of entries.entries()) if (entry.trust === 'good') entry.trust = 'doubtful';
    },
  };
}

/** The snapshot to use while the store is down, if there is one. The next lookup then waits `TRY_AGAIN_MS`. */
function fallback(entry: Entry | undefined, nowMs: number): AccountSnapshot | undefined {
  if (entry === undefined || entry.trust === 'changed') return undefined;
  entry.trust = 'good';
  entry.staleAtMs = nowMs + TRY_AGAIN_MS;
  return entry.snapshot;
}

interface LookUpDeps extends Pick<RoutingTableDeps, 'lookUp'> {
  readonly keep: (account: string, snapshot: AccountSnapshot | null) => void;
  /** Replaces a lookup that a change overtook. */
  readonly again: (account: string) => Promise<AccountSnapshot | null>;
  readonly fallbackOf: (account: string) => AccountSnapshot | undefined;
}

/** Runs one lookup per account at a time, and ignores its result if a change overtook it. */
function createLookUps({ lookUp, keep, again, fallbackOf }: LookUpDeps) {
  const inProgress = new Map<string, Promise<AccountSnapshot | null>>();
  const run = (account: string): Promise<AccountSnapshot | null> => {
    const joined = inProgress.get(account);
    if (joined !== undefined) return joined;
    const isOvertaken = (): boolean => inProgress.get(account) !== started;
    const started: Promise<AccountSnapshot | null> = lookUp(account).then(
      (found) => {
        if (isOvertaken()) return again(account);
        inProgress.delete(account);
        keep(account, found ?? null);
        return found ?? null;
      },
      (error: unknown) => {
        if (!isOvertaken()) inProgress.delete(account);
        const known = error instanceof StoreUnavailableError ? fallbackOf(account) : undefined;
        if (known === undefined) throw error;
        return known;
      },
    );
    inProgress.set(account, started);
    return started;
  };
  return { run, cancel: (account: string) => inProgress.delete(account), cancelAll: () => inProgress.clear() };
}
