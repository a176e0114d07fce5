import type { LoggedChunkJob, LoggedSet, ProducerEvent, Route, TraceContext } from '@mailhook/core';
import { CHUNK_VERSION } from '@mailhook/core';
import type { AccountShare } from '../mailbox/commands/publish.ts';
import type { RoutedEvent } from './routed-event.ts';
import { sha256 } from './digest.ts';
import { ChunkBuilder, isLargeShare, notificationStem, SeenIds } from './chunk.ts';

/** Bytes that an event adds to its own in a mailbox. */
const ENTRY_BYTES = 12;

/**
 * Builds a chunk for the event log: each event once, as the producer sent it, also those without a destination. The
 * position of an event in the chunk is a part of its name in the log.
 */
export class LoggedChunkBuilder {
  readonly id: string;
  readonly #sets = new Map<string, LoggedSet>();
  readonly #seenIds = new SeenIds();
  readonly #shares = new Shares();
  #events = 0;
  #chars = 0;

  constructor(id: string) {
    this.id = id;
  }

  get events(): number {
    return this.#events;
  }

  get chars(): number {
    return this.#chars;
  }

  add({ event, destinations }: RoutedEvent, trace?: TraceContext): void {
    if (!this.#seenIds.isNew(event)) return;
    const text = JSON.stringify(event);
    const { account } = event;
    const key = `${trace ?? ''} ${destinations.map(keyOf).join(' ')} ${account}`;
    const set = this.#sets.get(key);
    if (set === undefined) {
      const to = destinations.map(tupleOf);
      this.#sets.set(key, { account, to, ...(trace === undefined ? {} : { trace }), events: [text] });
    } else {
      set.events.push(text);
    }
    this.#events += 1;
    this.#chars += text.length;
    const { length: copies } = destinations;
    if (copies > 0) this.#shares.add(event.account, copies, copies * (text.length + ENTRY_BYTES));
  }

  /** @param countsAll also small shares count as queued (`QueueAccounts`). */
  build(acceptedAtMs: number, countsAll: boolean): LoggedChunkJob {
    const shares = this.#shares.list();
    const queued = countsAll ? shares : shares.filter(isLargeShare);
    return { v: CHUNK_VERSION, acceptedAt: acceptedAtMs, sets: [...this.#sets.values()], queued: [...queued] };
  }
}

const keyOf = ({ id, version, isSingle }: Route): string => `${version}${isSingle}${id}`;

const tupleOf = ({ id, version, isSingle }: Route): LoggedSet['to'][number] =>
  isSingle === undefined ? [id, version] : [id, version, isSingle];

/** An event of a logged chunk. */
export interface LoggedEvent extends RoutedEvent {
  /** Its position in the chunk. */
  readonly number: number;
  readonly trace: TraceContext | undefined;
  /** Bytes in the log's buffer. */
  readonly bytes: number;
}

/** The events of a logged chunk, in their order. @throws SyntaxError if an event is not what intake wrote. */
export function eventsOfLogged({ sets }: Pick<LoggedChunkJob, 'sets'>): LoggedEvent[] {
  let number = 0;
  return sets.flatMap(({ to, trace, events }) => {
    const destinations = to.map(([id, version, isSingle]): Route => ({ id, version, isSingle }));
    return events.map((text): LoggedEvent => {
      const event = JSON.parse(text) as ProducerEvent;
      return { number: number++, event, destinations, trace, bytes: text.length };
    });
  });
}

/** The groups that these events of a logged chunk become in mailboxes, the same on every run. */
export function groupsOf(chunk: string, events: readonly LoggedEvent[]) {
  const builder = new ChunkBuilder(chunk, sha256, { isShared: true });
  for (const { number, trace, ...routed } of events) builder.add(routed, trace, notificationStem(chunk, number));
  // The ids are claimed before, also those of events without a destination.
  return builder.build(0).groups.map((group) => group.with(5, null) as typeof group);
}

/** The events per account in the log's buffer, and their bytes. */
export function loggedShares(events: readonly LoggedEvent[]): AccountShare[] {
  const shares = new Shares();
  for (const { event, bytes } of events) shares.add(event.account, 1, bytes);
  return shares.list();
}

class Shares {
  readonly #shares = new Map<string, { account: string; events: number; bytes: number }>();

  add(account: string, events: number, bytes: number): void {
    const share = this.#shares.get(account);
    if (share === undefined) {
      this.#shares.set(account, { account, events, bytes });
    } else {
      share.events += events;
      share.bytes += bytes;
    }
  }

  list(): AccountShare[] {
    return [...this.#shares.values()];
  }
}
