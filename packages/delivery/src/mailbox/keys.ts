import type { Mechanism } from '@mailhook/core';

/** Where the engine of one mechanism and shard lives. All keys of a shard share one hash tag, so that a script may touch any of them. */
export interface EngineKeys {
  readonly kind: Mechanism;
  readonly shard: number;
  /** Prefix of the shard's BullMQ queues, and (with `:`) of what both mechanisms share: `{mailhook:0}`. */
  readonly queuePrefix: string;
  /** Prefix of the shard's keys that both mechanisms share. */
  readonly shared: string;
  /** Prefix of the mechanism's keys: `lua/README.md` lists its keys. */
  readonly base: string;
  /** Pub/sub channel: a destination waits for a worker. */
  readonly readyChannel: string;
}

/** A prefix that is a hash tag itself (as it must be on a cluster, for `email-events`) is taken without its braces: or every shard had the same tag. */
export function engineKeys(queuePrefix: string, shard: number, kind: Mechanism): EngineKeys {
  const tagged = `{${queuePrefix.replace(/^\{(.+)\}$/, '$1')}:${shard}}`;
  const shared = `${tagged}:`;
  const base = `${shared}${kind === 'campaign' ? 'c' : 't'}:`;
  return { kind, shard, queuePrefix: tagged, shared, base, readyChannel: `${base}ready` };
}

/** Keys of every mechanism and shard, transactional first. */
export function allEngineKeys(queuePrefix: string, shards: number): EngineKeys[] {
  return Array.from({ length: shards }, (_, shard) => shard).flatMap((shard) => [
    engineKeys(queuePrefix, shard, 'transactional'),
    engineKeys(queuePrefix, shard, 'campaign'),
  ]);
}
