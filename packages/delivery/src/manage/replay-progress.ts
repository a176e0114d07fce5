import type { Mechanism } from '@mailhook/core';
import { createLogCommands } from '../mailbox/commands/log.ts';
import type { Installation } from '../mailbox/installation.ts';
import { chunkQueueKeys, replayJobId } from '../mailbox/keys.ts';
import { readMailbox } from '../mailbox/records.ts';

/** A page of a replay. */
interface PlaceOfReplay {
  readonly id: string;
  readonly account: string;
  readonly kind: Mechanism;
  readonly destination: string;
  readonly page: number;
}

/** How far the events of replays are. All methods reject while Redis is away. */
export interface ReplayProgress {
  readPlace(place: PlaceOfReplay): Promise<{
    readonly isPaused: boolean;
    /** Events of replays that wait at the destination. */
    readonly waiting: number;
    /** Whether the page is not at the destination yet. */
    readonly isQueued: boolean;
  }>;
  /** The events of a replay that were delivered, and those that were given up or discarded. */
  readResults(
    account: string,
    id: string,
  ): Promise<{
    readonly delivered: number;
    readonly dead: number;
  }>;
}

export const createReplayProgress = (installation: Installation): ReplayProgress => ({
  async readPlace({ id, account, kind, destination, page }) {
    const { redis } = installation;
    const keys = installation.keysOf(account, kind);
    const job = chunkQueueKeys(keys).job(replayJobId(id, page));
    const [{ state }, [seconds], jobs] = await Promise.all([
      readMailbox(redis, keys, destination),
      redis.time(),
      redis.exists(job),
    ]);
    return {
      isPaused: state.pausedUntilMs > Number(seconds) * 1000,
      waiting: state.replayed,
      isQueued: jobs === 1,
    };
  },
  readResults: (account, id) =>
    createLogCommands(installation.redis, installation.keysOf(account, 'campaign')).readReplay(id),
});
