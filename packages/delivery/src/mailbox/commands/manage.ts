import type { Redis } from '@mailhook/platform/redis';
import type { RedriveStep } from '../accounts.ts';
import { kindPrefix } from '../dead-letter-id.ts';
import { runnerOf } from '../functions.ts';
import type { ObserveCommand } from '../functions.ts';
import type { EngineKeys } from '../keys.ts';
import { NEW_RECORD } from '../layout.ts';
import type { NewLane, Values } from '../layout.ts';

/**
 * Whether a record was written or there already. Otherwise a newer one stays, or that of a deleted destination. Then
 * this is the version that the store must have at least.
 */
export type SavedRecord = 'written' | 'same' | number;

/** A destination's record, as the api writes it. */
export type NewRecord = Values<typeof NEW_RECORD> & { readonly isActive: boolean };

export type RedriveReply = 'redriven' | 'gone' | 'inactive' | 'stopped';

/**
 * An entry, and the same with the events that stay ('' for none). The position is from the start of a dead letter, or
 * from the end of a lane.
 */
export interface EntryChange {
  readonly position: number;
  readonly entry: string;
  readonly rest: string;
}

/** The rest of a batch, which gets a new id and a `webhook-id` made of it. */
export interface NewBatch {
  readonly id: string;
  readonly events: number;
  readonly body: string;
}

/** Who paused a destination. */
export type PausedBy = 'customer' | 'operator';

/** Why an action on a destination is impossible. */
type NotPossible = 'unknown' | 'inactive';

export type DestinationCommands = ReturnType<typeof createDestinationCommands>;

/** What the api, operators and customers do with a destination. Rejects with what ioredis rejects with. */
export function createDestinationCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const run = runnerOf(redis, keys, 'texts', observe);
  return {
    /** `isBack`: the store has the destination again after its deletion. */
    async saveDestination(destination: string, record: NewRecord, isBack = false): Promise<SavedRecord> {
      const fields = NEW_RECORD.map(([name]) => record[name]);
      return (await run(
        'save-destination',
        destination,
        record.isActive ? 1 : 0,
        isBack ? 1 : 0,
        ...fields,
      )) as SavedRecord;
    },

    async removeDestination(destination: string, account: string): Promise<void> {
      await run('remove-destination', destination, account);
    },

    /** Counts entries that no state counts, so that they are sent. Resolves with the events in them. */
    async recoverEntries(destinations: readonly string[]): Promise<number> {
      return (await run('recover-entries', ...destinations)) as number;
    },

    /**
     * Corrects the sum of an account that counts events although no mailbox of it is live. Resolves with these events.
     */
    async recountEvents(account: string, destinations: readonly string[]): Promise<number> {
      return (await run('recount-events', account, ...destinations)) as number;
    },

    /** Actions on a destination: see `lua/includes/operator.lua`. A customer cannot change an operator's pause. */
    async pause(destination: string, untilMs: number, by: PausedBy = 'operator') {
      return (await run('pause', destination, untilMs, by)) as 'paused' | 'paused by an operator' | NotPossible;
    },

    async resume(destination: string, by: PausedBy = 'operator') {
      return (await run('resume', destination, by)) as 'resumed' | 'not paused' | 'paused by an operator' | NotPossible;
    },

    async sendNow(destination: string) {
      return (await run('send-now', destination)) as 'sending' | 'paused' | NotPossible;
    },

    async probe(destination: string) {
      return (await run('probe', destination)) as 'probed' | 'paused' | 'not parked' | NotPossible;
    },

    async requestGiveUp(destination: string) {
      return (await run('give-up', destination)) as 'dropped' | 'empty' | NotPossible;
    },
  };
}

export type DeadLetterCommands = ReturnType<typeof createDeadLetterCommands>;

/** Redrives and discards dead letters. Rejects with what ioredis rejects with. */
export function createDeadLetterCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const run = runnerOf(redis, keys, 'texts', observe);
  return {
    /**
     * `gone`: the dead letter is not there any more. `inactive`: its destination is inactive or deleted. `stopped`: a
     * person has stopped the run. Without `step`, the run is of this dead letter alone.
     */
    redrive: async (deadLetter: string, resend: string, runId: string, step?: RedriveStep): Promise<RedriveReply> =>
      (await run('redrive', deadLetter, resend, runId, step?.begunMs ?? '', step?.left ?? 0)) as RedriveReply,

    /** Resolves with the time, as a later stop of the account's runs counts it. */
    async redriveTime(account: string): Promise<number> {
      return (await run('redrive-run', account, 'time')) as number;
    },

    /** Begins a run. Resolves with the time of its beginning, or with 0 if it was stopped since `sinceMs`. */
    async beginRedrive(account: string, runId: string, events: number, sinceMs?: number): Promise<number> {
      return (await run('redrive-run', account, 'begin', runId, events, sinceMs ?? '')) as number;
    },

    async endRedrive(account: string, runId: string): Promise<void> {
      await run('redrive-run', account, 'end', runId);
    },

    /** Stops all runs of the account that have begun, or have read the time (`redriveTime`). */
    async stopRedrive(account: string): Promise<void> {
      await run('redrive-run', account, 'stop');
    },

    /** Deletes dead letters permanently, with their events. Resolves with the numbers of both. */
    async discard(ids: readonly string[]): Promise<{ deadLetters: number; events: number }> {
      const [deadLetters, events] = (await run('discard', kindPrefix(keys.kind), ...ids)) as [number, number];
      return { deadLetters, events };
    },
  };
}

export type EraseCommands = ReturnType<typeof createEraseCommands>;

/** Erases a recipient's events. Rejects with what ioredis rejects with. */
export function createEraseCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const run = runnerOf(redis, keys, 'texts', observe);
  return {
    /**
     * Removes events from entries of a lane. Resolves with the events removed, those in flight, the entries that were
     * not found, and those removed.
     */
    async eraseWaiting(o: {
      destination: string;
      account: string;
      lane: NewLane;
      changes: readonly EntryChange[];
    }): Promise<{ removed: number; inFlight: number; moved: number; emptied: number }> {
      const args = o.changes.flatMap(({ position, entry, rest }) => [position, entry, rest]);
      const reply = await run('erase-waiting', o.destination, o.account, o.lane, ...args);
      const [removed, inFlight, moved, emptied] = reply as [number, number, number, number];
      return { removed, inFlight, moved, emptied };
    },

    /**
     * Replaces a resend by one with the rest of its events, or removes it. Resolves with the number of events removed.
     */
    async eraseResend(o: {
      destination: string;
      account: string;
      resend: string;
      webhookId: string;
      rest: NewBatch;
    }): Promise<number | 'in flight' | 'moved'> {
      const { id, events, body } = o.rest;
      const args = [o.destination, o.account, o.resend, o.webhookId, id, `msg_${id}`, events, body];
      const removed = (await run('erase-resend', ...args)) as number;
      return removed === -1 ? 'in flight' : removed === -2 ? 'moved' : removed;
    },

    /**
     * Removes events from a dead letter. Undefined if it is gone. `rest`: for a batch that was sent. `changes`: for
     * events that never were.
     */
    async eraseDead(o: {
      deadLetter: string;
      account: string;
      webhookId: string;
      rest: NewBatch | undefined;
      changes: readonly EntryChange[];
    }): Promise<{ removed: number; remaining: number } | undefined> {
      const args =
        o.rest === undefined
          ? o.changes.flatMap(({ position, entry, rest }) => [position, entry, rest])
          : [o.rest.events, `msg_${o.rest.id}`, o.rest.body];
      const reply = await run('erase-dead', o.deadLetter, o.account, o.webhookId, ...args);
      const [removed, remaining] = reply as [number, number];
      return removed === -1 ? undefined : { removed, remaining };
    },
  };
}
