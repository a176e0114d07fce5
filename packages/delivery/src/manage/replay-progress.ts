import type { Mechanism } from '@mailhook/core';
import { replayMark } from '@mailhook/core';
import { createLogCommands } from '../mailbox/commands/log.ts';
import type { Installation } from '../mailbox/installation.ts';
import { replayJobId } from '../mailbox/keys.ts';
import { hasResendOf, readMailbox } from '../mailbox/records.ts';
import { inFlightOf } from '../mailbox/state.ts';
import { hasChunkJob } from './chunk-job.ts';

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
  /**
   * Whether events of the replay, up to this page, may still be sent. False says that all have ended, also those that
   * no count has: erased ones, or those of a time that Redis has lost.
   */
  isUnfinished(place: PlaceOfReplay): Promise<boolean>;
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
    const [{ state }, [seconds], isQueued] = await Promise.all([
      readMailbox(redis, keys, destination),
      redis.time(),
      hasChunkJob(redis, keys, replayJobId(id, page)),
    ]);
    return { isPaused: state.pausedUntilMs > Number(seconds) * 1000, waiting: state.replayed, isQueued };
  },
  // In the order in which events move, so that none is missed.
  async isUnfinished({ id, account, kind, destination, page }) {
    const { redis } = installation;
    const keys = installation.keysOf(account, kind);
    if (await hasChunkJob(redis, keys, replayJobId(id, page))) return true;
    const { state } = await readMailbox(redis, keys, destination);
    if (state.replayed > 0 || inFlightOf(state).some(({ lane }) => lane === 'r')) return true;
    return hasResendOf(redis, keys, destination, replayMark(id));
  },
  readResults: (account, id) =>
    createLogCommands(installation.redis, installation.keysOf(account, 'campaign')).readReplay(id),
});
