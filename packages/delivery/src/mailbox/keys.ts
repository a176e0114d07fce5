import { hash } from 'node:crypto';
import type { Mechanism } from '@mailhook/core';
import { compositeKey, engineQueues } from '@mailhook/core';
import { queueKeys } from '@mailhook/platform/queue';
import type { QueueKeys } from '@mailhook/platform/queue';
import { ID_BYTES } from './constants.ts';
import type { NewLane } from './layout.ts';

/**
 * The keys of one mechanism and shard in Redis. `lua/README.md` explains each. All keys of a shard share one hash tag,
 * so that a command may touch several.
 */
export class EngineKeys {
  readonly kind: Mechanism;
  readonly shard: number;
  /** `QUEUE_PREFIX` without braces. */
  readonly prefix: string;
  /** Prefix of the shard's BullMQ queues, such as `{mailhook:0}`. */
  readonly queuePrefix: string;
  /** Prefix of the keys that both mechanisms of the shard share, `P` in the commands. */
  readonly shared: string;
  /** Prefix of the mechanism's keys, `K` in the commands. */
  readonly base: string;

  constructor(prefix: string, shard: number, kind: Mechanism) {
    this.kind = kind;
    this.shard = shard;
    this.prefix = withoutBraces(prefix);
    this.queuePrefix = shardPrefix(prefix, shard);
    this.shared = `${this.queuePrefix}:`;
    this.base = `${this.shared}${kind === 'campaign' ? 'c' : 't'}:`;
  }

  /** Hash by destination: the states of the mailboxes that hold, wait for or remember something (`readState`). */
  get live(): string {
    return `${this.base}live`;
  }
  /** Hash by destination: what every append needs of a record (`readMailboxes`). */
  get records(): string {
    return `${this.base}records`;
  }
  /** Hash by destination: what a request needs of a record (`readTarget`). */
  get targets(): string {
    return `${this.base}targets`;
  }
  /** Hash by destination: the first entry of the lane f, if it is small and came to an empty mailbox. */
  get heads(): string {
    return `${this.base}heads`;
  }
  /** `f` holds new events, `u` those that overtake, `r` those of replays. */
  lane(lane: NewLane, destination: string): string {
    return `${this.base}${lane}:${destination}`;
  }
  resendsOf(destination: string): string {
    return `${this.base}xs:${destination}`;
  }
  resend(id: string): string {
    return `${this.base}x:${id}`;
  }
  get due(): string {
    return `${this.base}due`;
  }
  /** Destinations whose events wait for longer than `BACKLOG_MS`, by the time since when. */
  get backlog(): string {
    return `${this.base}backlog`;
  }
  get parked(): string {
    return `${this.base}parked`;
  }
  get paused(): string {
    return `${this.base}paused`;
  }
  get gone(): string {
    return `${this.base}gone`;
  }
  /** The lists of destinations that wait for a worker. */
  get readyLists(): readonly [proven: string, others: string] {
    return [`${this.base}proven`, `${this.base}ready`];
  }
  /** Pub/sub channel: a destination waits for a worker. */
  get readyChannel(): string {
    return `${this.base}ready`;
  }
  get workers(): string {
    return `${this.base}workers`;
  }
  /** The host and pid of each worker. */
  get hosts(): string {
    return `${this.base}hosts`;
  }
  /** Workers that ended without giving up their lease. */
  get lost(): string {
    return `${this.base}lost`;
  }
  /** The first and the last time of writes that Redis has lost. */
  get lostWrites(): string {
    return `${this.base}lost-writes`;
  }
  progress(chunk: string): string {
    return `${this.base}progress:${chunk}`;
  }
  /** Which ids of a chunk were duplicates, if its job lies in another shard. */
  claimed(chunk: string): string {
    return `${this.base}claimed:${chunk}`;
  }
  deadLetter(id: string): string {
    return `${this.base}dl:${id}`;
  }
  deadLetterEntries(id: string): string {
    return `${this.base}dlm:${id}`;
  }

  // The keys below belong to both mechanisms of the shard.
  get deadLetters(): string {
    return `${this.shared}dls`;
  }
  deadLettersOf(account: string): string {
    return `${this.shared}dls:${account}`;
  }
  /** How the producers' ids are kept (`ID_TABLE`). Their buckets have the numbers from 0. */
  get ids(): string {
    return `${this.shared}ids`;
  }
  idBucket(bucket: number): string {
    return `${this.ids}:${bucket}`;
  }
  /** The event log's buffer: its limit, bytes, and how much was taken from it. */
  get logState(): string {
    return `${this.shared}log:state`;
  }
  /** List: ids of the chunks in the event log's buffer, in the order in which they ended. */
  get logChunks(): string {
    return `${this.shared}log:chunks`;
  }
  /** Hash: the data of such a chunk's job. */
  logChunk(id: string): string {
    return `${this.shared}log:chunk:${id}`;
  }
  /** List: outcomes of events (`OUTCOME`). */
  get logOutcomes(): string {
    return `${this.shared}log:outcomes`;
  }
  /** Hash by account: events that the event log did not keep. */
  get logGaps(): string {
    return `${this.shared}log:gaps`;
  }
  /** The same, for gaps that a closer has begun to put into a segment. They no longer grow. */
  get logClosedGaps(): string {
    return `${this.shared}log:closed-gaps`;
  }
  /** Hash by account: its bytes in the buffer, without those that the first eighth took. */
  get logShares(): string {
    return `${this.shared}log:shares`;
  }
  /** Sorted set: the accepted chunks that are not in the event log yet, by the time of acceptance. */
  get logOpen(): string {
    return `${this.shared}log:open`;
  }
  /** Hash by result: the events of a replay. */
  logReplay(replay: string): string {
    return `${this.shared}log:replay:${replay}`;
  }
  /** Hash by account (`readSums`). */
  get sums(): string {
    return `${this.shared}sums`;
  }
  get overfull(): string {
    return `${this.shared}overfull`;
  }
  get waitingMax(): string {
    return `${this.shared}waiting-max`;
  }
  /** The accounts with more than 1 MB, by their bytes. */
  get heavy(): string {
    return `${this.shared}heavy`;
  }
  /** Counts the deleted destinations of an account, whose records still exist. */
  deletedOf(account: string): string {
    return `${this.shared}deleted:${account}`;
  }
  /**
   * `packed`: blocks of the delivered attempts that are not in their list any more. `erased`: how many rows of lists
   * were erased of late.
   */
  attempts(account: string, list: 'delivered' | 'packed' | 'failed' | 'erased'): string {
    return `${this.shared}attempts:${account}:${list}`;
  }
  /** Hash by account of what their blocks take, and of all accounts under an empty name (`BLOCKS`). */
  get blocks(): string {
    return `${this.shared}blocks`;
  }
  /** The accounts that have blocks, by the time of their oldest. */
  get blocksOldest(): string {
    return `${this.shared}blocks-oldest`;
  }
  /**
   * The bodies of requests that delivered events (`bodyRow`).
   *
   * @param hour hours since 1970.
   */
  bodies(account: string, hour: number): string {
    return `${this.shared}bodies:${account}:${hour}`;
  }
  /** The progress of the account's redriven dead letters. */
  redriven(account: string): string {
    return `${this.shared}redriven:${account}`;
  }
  /** @param block of `record/history-keys.ts`. */
  history(account: string, block: string): string {
    return `${this.shared}history:${account}:${block}`;
  }
  /** Counts and samples of the shard, by minute (`trendPlace`). */
  trends(hour: number): string {
    return `${this.shared}trends:${hour}`;
  }
}

/** The keys of the queue of chunks of a mechanism and shard. */
export const chunkQueueKeys = ({ queuePrefix, kind }: Pick<EngineKeys, 'queuePrefix' | 'kind'>): QueueKeys =>
  queueKeys(`${queuePrefix}:${engineQueues(kind).chunks}:`);

/** The id of the chunk job of a page of a replay. */
export const replayJobId = (replay: string, page: number): string => `p${replay}-${page}`;

/** Characters of base64 without padding. */
const DIGEST_CHARS = (ID_BYTES / 3) * 4;

/**
 * Stands for a producer's id of an account, module and type in Redis, as 96 bits in base64. Ids are free texts, and an
 * email address in one must not be readable there. Among 10 billion ids, two meet with a probability of 1 to a billion.
 */
export const producerIdDigest = (account: string, kind: Mechanism, typeAndId: string): string =>
  hash('sha256', compositeKey(account, kind, typeAndId), 'base64url').slice(0, DIGEST_CHARS);

/**
 * The worker in an owner's token `<worker>_<number of the claim>`. Tokens and ids of batches hold only letters, digits,
 * `_` and `-`.
 */
export const workerOf = (token: string): string => token.split('_', 1)[0] ?? '';

/** A `QUEUE_PREFIX` without the braces that it has on a cluster. */
export const withoutBraces = (prefix: string): string => prefix.replace(/^\{(.+)\}$/, '$1');

/**
 * Prefix of a shard's keys and queues. If `QUEUE_PREFIX` is a hash tag, as `email-events` needs on a cluster, its
 * braces are left out. Otherwise every shard would have the same tag.
 */
export const shardPrefix = (prefix: string, shard: number): string => `{${withoutBraces(prefix)}:${shard}}`;

export const engineKeys = (prefix: string, shard: number, kind: Mechanism): EngineKeys =>
  new EngineKeys(prefix, shard, kind);
