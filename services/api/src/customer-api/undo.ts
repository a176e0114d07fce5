import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  campaignDestinationId,
  coded,
  deadLetterGroupId,
  restoreDestination,
  savedDestinationOf,
} from '@mailhook/core';
import type { DestinationStatus, SavedDestination, Store } from '@mailhook/core';
import { reasonOfInactive } from '@mailhook/delivery';
import type { DeadLetterBox, DestinationControl } from '@mailhook/delivery';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { newId } from '../accounts/tokens.ts';
import type { DestinationStatuses } from './destination-statuses.ts';

/** Brings back a destination that was switched off, deleted or lost its address. */
export interface Undo {
  /** Runs a change of a destination (a subscription's id, or `campaign`). Resolves with the token that undoes it. */
  readonly remember: (account: string, destination: string, change: () => Promise<unknown>) => Promise<string>;
  /**
   * Restores the destination with its settings, and its waiting events if they became dead letters. A deleted one gets
   * a new id. Rejects with a 409 after a minute, the second time, or if the destination was changed meanwhile.
   */
  readonly run: (account: string, token: string) => Promise<Undone>;
}

interface Undone {
  readonly destination: string;
  /** Dead letters that are sent again. */
  readonly redriven: number;
}

interface UndoDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly deadLetters: Pick<DeadLetterBox, 'redrive'>;
  readonly control: Pick<DestinationControl, 'pause'>;
  readonly destinations: Pick<DestinationStatuses, 'list'>;
}

interface Kept {
  readonly destination: string;
  readonly before: SavedDestination;
  readonly after: SavedDestination;
  readonly pause: Pick<DestinationStatus, 'pausedUntil' | 'pausedBy'>;
  readonly at: string;
}

/** The page offers it for 10 s. Without a script, its button stays. */
const UNDO_S = 60;
/** The clocks of this process and of Redis, which dates dead letters, may differ by this much. */
const CLOCKS_MS = 2000;

const TOO_LATE = coded('undo-late');
const CHANGED = coded('undo-changed');

export function createUndo({ redis, prefix, store, writer, ...engine }: UndoDeps): Undo {
  const keyOf = (account: string, token: string): string => `${prefix}:undo:${account}:${token}`;
  const read = async (account: string, destination: string): Promise<SavedDestination> => {
    const found = await store.load(account);
    return found === undefined ? {} : savedDestinationOf(found, destination);
  };
  return {
    async remember(account, destination, change) {
      const before = await read(account, destination);
      // An activation or deactivation ends a pause.
      const status = (await engine.destinations.list(account)).find((one) => one.destination === destination);
      const pause = { pausedUntil: status?.pausedUntil, pausedBy: status?.pausedBy };
      const at = new Date(Date.now() - CLOCKS_MS).toISOString();
      await change();
      const kept: Kept = { destination, before, after: await read(account, destination), pause, at };
      const token = randomBytes(16).toString('base64url');
      await redis.set(keyOf(account, token), JSON.stringify(kept), 'EX', UNDO_S);
      return token;
    },
    async run(account, token) {
      const stored = /^[\w-]{22}$/.test(token) ? await redis.getdel(keyOf(account, token)) : null;
      if (stored === null) throw new ProblemError('conflict', { detail: TOO_LATE });
      const { destination, before, after, pause, at } = JSON.parse(stored) as Kept;
      const id = before.subscription === undefined || after.subscription !== undefined ? destination : newId();
      const changed = await writer.change(account, (found) =>
        isDeepStrictEqual(JSON.parse(JSON.stringify(savedDestinationOf(found, destination))), after)
          ? restoreDestination(found, before, id)
          : undefined,
      );
      if (changed === undefined) throw new ProblemError('conflict', { detail: CHANGED });
      const engineId = destination === 'campaign' ? campaignDestinationId(account) : id;
      const { pausedUntil, pausedBy = 'customer' } = pause;
      if (pausedUntil !== undefined) await engine.control.pause(engineId, Date.parse(pausedUntil), pausedBy);
      if (id !== destination) return { destination: id, redriven: 0 };
      const address = destination === 'campaign' ? after.campaign?.address : after.subscription?.address;
      const kind = destination === 'campaign' ? 'campaign' : 'transactional';
      const error = reasonOfInactive({ kind, address: address ?? null });
      const { redriven } = await engine.deadLetters.redrive({
        account,
        destination: engineId,
        groups: [deadLetterGroupId({ destination, error })],
        from: at,
      });
      return { destination, redriven };
    },
  };
}
