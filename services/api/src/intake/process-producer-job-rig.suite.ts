import { newAccount } from '@mailhook/core';
import type { RoutedEvent } from '@mailhook/delivery';
import { aStoredDestination } from '@mailhook/testing';
import { snapshotOf } from '../accounts/snapshot.ts';
import type { AccountSnapshot } from '../accounts/snapshot.ts';
import type { RejectedEvent } from './rejected-events.ts';
import type { ProducerJobDeps } from './process-producer-job.ts';

/** An account with this number of subscriptions to opens. */
function withSubscriptions(id: string, count = 1): AccountSnapshot {
  const destinations = Array.from({ length: count }, (_, i) => aStoredDestination(`sub-${id}-${i}`));
  return snapshotOf({ ...newAccount({ id, name: id, createdAt: '' }), destinations });
}

interface Faults {
  /** Thrown by `publish`. */
  publish?: Error | undefined;
  apart?: Error | undefined;
}

/**
 * In-memory dependencies of a job's processor. Like in Redis, published chunks, rejected events and separate jobs
 * persist between runs.
 */
export function takeJobRig() {
  const overfull = new Set<string>();
  const faults: Faults = {};
  const chunks = new Map<string, readonly RoutedEvent[]>();
  const rejected = new Map<string, RejectedEvent & { readonly reason: string }>();
  const apart = new Map<string, readonly unknown[]>();
  const state = { subscriptions: 1, room: Number.POSITIVE_INFINITY, bytes: null as Buffer | null };
  const deps: ProducerJobDeps & { readData: () => Promise<Buffer | null> } = {
    readData: () => Promise.resolve(state.bytes),
    routing: {
      peek: (id) => withSubscriptions(id, state.subscriptions),
      load: (id) => Promise.resolve(withSubscriptions(id, state.subscriptions)),
    },
    publisher: {
      publish: (events, chunkId = '') => {
        if (faults.publish !== undefined) return Promise.reject(faults.publish);
        if (!chunks.has(chunkId)) chunks.set(chunkId, events);
        return Promise.resolve();
      },
      hasPublished: (_events, chunkId) => Promise.resolve(chunks.has(chunkId)),
      isOverfull: (account) => overfull.has(account),
    },
    rejected: {
      keep: (chunkId, events, reason) => {
        for (const one of events) rejected.set(`${chunkId}-${one.index}`, { ...one, reason });
        return Promise.resolve();
      },
      hasRoom: (events) => Promise.resolve(events <= state.room),
    },
    apart: {
      add: (_of, events) => {
        if (faults.apart !== undefined) return Promise.reject(faults.apart);
        for (const [account, own] of events) apart.set(account, own);
        return Promise.resolve();
      },
    },
    metrics: {
      accepted: () => undefined,
      rejected: () => undefined,
      skipped: () => undefined,
      forgotten: () => undefined,
    },
  };
  const job = (data: unknown) => {
    const one = {
      id: 'any:id/of 7',
      timestamp: 1_700_000_000_000,
      data,
      updateData: (next: unknown) => {
        one.data = next;
        return Promise.resolve();
      },
    };
    return one;
  };
  const accountsIn = (events: readonly RoutedEvent[]) => events.map(({ event }) => event.account);
  return { deps, overfull, faults, chunks, rejected, apart, state, job, accountsIn };
}
