import type { BreakerState, SizeLimit } from '@mailhook/core';
import { readSizeLimit } from '@mailhook/core';
import { readerOf, readFields, unset } from './fields.ts';
import { BATCH, HEAD, RARE } from './layout.ts';
import type { Values } from './layout.ts';

/** A batch of the window: frozen, and not trimmed yet. */
export type WindowBatch = Values<typeof BATCH>;

/** The state of a mailbox. `layout.ts` says what each field means. */
export type MailboxState = Values<typeof HEAD> & { readonly window: readonly WindowBatch[] } & Values<typeof RARE>;

/** The state of a mailbox that holds, waits for and remembers nothing. Its record is in the record only. */
export const NO_STATE: MailboxState = { ...unset(HEAD), window: [], ...unset(RARE) };

const NO_BATCH: WindowBatch = unset(BATCH);
const [readHead, readBatch, readRare] = [readerOf(HEAD), readerOf(BATCH), readerOf(RARE)];

/** Reads a packed state. The state of a mailbox that has none is `NO_STATE`. */
export function readState(bytes: Buffer): MailboxState {
  const state = { ...NO_STATE };
  const following = { hasPart: false, length: 0 };
  let at = readFields(readHead, bytes, 0, state, following);
  if (following.length > 0) {
    const window: WindowBatch[] = [];
    for (let i = 0; i < following.length; i += 1) {
      const batch = { ...NO_BATCH };
      at = readFields(readBatch, bytes, at, batch);
      window.push(batch);
    }
    state.window = window;
  }
  if (following.hasPart) readFields(readRare, bytes, at, state);
  return state;
}

/**
 * The breaker of a state, with times of the reader's clock. `redisNowMs` and `nowMs`: the time of the commands when it
 * was read, and the reader's.
 */
export const breakerOf = (state: MailboxState, redisNowMs: number, nowMs: number): BreakerState => ({
  failures: state.failures,
  parkMs: state.parkMs,
  // A past time stays a time, because a probe depends on it.
  parkedUntilMs: state.parkedUntilMs === 0 ? 0 : nowMs + Math.max(0, state.parkedUntilMs - redisNowMs),
});

/** How long a parked mailbox waits until it is woken. `nowMs`: the time of the commands when it was read. */
export const waitOf = ({ parkedUntilMs, pausedUntilMs }: MailboxState, nowMs: number): number =>
  Math.max(0, (pausedUntilMs > nowMs ? pausedUntilMs : parkedUntilMs) - nowMs);

export const sizeLimitOf = ({ size }: MailboxState): SizeLimit | undefined => readSizeLimit(size);

/** Batches that are frozen and not settled. */
export const inFlightOf = ({ window }: MailboxState): readonly WindowBatch[] =>
  window.filter(({ isSettled }) => !isSettled);

/** Whether the mailbox holds new events, those in flight included. */
export const holdsEvents = (state: MailboxState): boolean => newEvents(state) > 0 || state.window.length > 0;

/** The events of all lanes that are not frozen. */
export const newEvents = ({ fresh, unsubscribes, replayed }: MailboxState): number => fresh + unsubscribes + replayed;
