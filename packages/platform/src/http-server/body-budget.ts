import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Metrics } from '../metrics/index.ts';

/** The kind of sender of a body. Each kind has a share of the budget that no other kind can use up. */
export type BodySender = 'anonymous' | 'account' | 'operator' | 'producer';

/**
 * Sixteenths of the budget: for all senders of a kind together, and per sender. The shares of the kinds add up to the
 * budget.
 */
const SHARES: Readonly<Record<BodySender, { readonly all: number; readonly each: number }>> = {
  anonymous: { all: 1, each: 0.25 },
  account: { all: 4, each: 1 },
  operator: { all: 1, each: 1 },
  // All producers send the same token, so they are one sender. Their large bodies leave room for small ones.
  producer: { all: 10, each: 8 },
};

/** The first bytes of each producer's body count as a small body. */
const SMALL_BODY_BYTES = 64 * 1024;

/** The bytes that one request reserves for its body. */
export interface BodyReservation {
  /** A longer body must be refused, because no wait makes room for it. */
  readonly maxBytes: number;
  /** Reserves more bytes. If they do not fit into the budget, reserves nothing and returns false. */
  take(bytes: number): boolean;
  /** Counts the refusal of this body. */
  noteRefusal(reason: BodyRefusal): void;
  /** Gives back all reserved bytes. A second call has no effect. */
  release(): void;
}

/** `full` means that the budget was used up, `slow` that the body took too long to arrive. */
export type BodyRefusal = 'full' | 'slow';

/**
 * The memory that the bodies of all requests may use together, from a body's first byte to the reply
 * (docs/decisions/0019).
 */
export interface BodyBudget {
  /** @param name distinguishes senders of one kind, such as an account or a client address. */
  readonly open: (sender: BodySender, name?: string) => BodyReservation;
}

class Share {
  readonly maxBytes: number;
  readonly #within: Share | undefined;
  #usedBytes = 0;

  constructor(maxBytes: number, within?: Share) {
    this.maxBytes = maxBytes;
    this.#within = within;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.maxBytes || this.#within?.take(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#within?.give(bytes);
  }
}

interface BodyBudgetDeps {
  readonly maxBytes: number;
  readonly metrics: Metrics;
}

export function createBodyBudget({ maxBytes, metrics }: BodyBudgetDeps): BodyBudget {
  const sizeOf = (sixteenths: number): number => Math.floor((maxBytes * sixteenths) / 16);
  const shareOf = (sender: BodySender): Share => new Share(sizeOf(SHARES[sender].all));
  const all: Readonly<Record<BodySender, Share>> = {
    anonymous: shareOf('anonymous'),
    account: shareOf('account'),
    operator: shareOf('operator'),
    producer: shareOf('producer'),
  };
  const named = new Map<string, { readonly share: Share; requests: number }>();
  const noteRefusal = addMetrics(metrics, maxBytes, () =>
    Object.values(all).reduce((sum, one) => sum + one.usedBytes, 0),
  );
  const noteOf = (sender: BodySender) => (reason: BodyRefusal) => noteRefusal(sender, reason);
  const largeBodies = new Share(sizeOf(SHARES.producer.each), all.producer);
  const ofProducers = { first: all.producer, rest: largeBodies, note: noteOf('producer') };
  return {
    open: (sender, name = '') => {
      if (sender === 'producer') return new Reservation(ofProducers);
      const key = `${sender} ${name}`;
      const own = named.get(key) ?? { share: new Share(sizeOf(SHARES[sender].each), all[sender]), requests: 0 };
      named.set(key, own);
      own.requests += 1;
      const onRelease = (): void => {
        own.requests -= 1;
        if (own.requests === 0) named.delete(key);
      };
      return new Reservation({ first: own.share, rest: own.share, note: noteOf(sender), onRelease });
    },
  };
}

interface ReservationDeps {
  /** For the first `SMALL_BODY_BYTES`. */
  readonly first: Share;
  readonly rest: Share;
  readonly note: (reason: BodyRefusal) => void;
  readonly onRelease?: () => void;
}

class Reservation implements BodyReservation {
  readonly maxBytes: number;
  readonly #deps: ReservationDeps;
  #firstBytes = 0;
  #restBytes = 0;
  #isReleased = false;

  constructor(deps: ReservationDeps) {
    this.#deps = deps;
    this.maxBytes = deps.rest.maxBytes;
  }

  take(bytes: number): boolean {
    // The connection is gone, so the work on the body ends soon and need not count.
    if (this.#isReleased) return true;
    const { first, rest } = this.#deps;
    const firstBytes = Math.min(bytes, SMALL_BODY_BYTES - this.#firstBytes);
    if (!first.take(firstBytes)) return false;
    if (!rest.take(bytes - firstBytes)) {
      first.give(firstBytes);
      return false;
    }
    this.#firstBytes += firstBytes;
    this.#restBytes += bytes - firstBytes;
    return true;
  }

  noteRefusal(reason: BodyRefusal): void {
    this.#deps.note(reason);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#deps.first.give(this.#firstBytes);
    this.#deps.rest.give(this.#restBytes);
    this.#deps.onRelease?.();
  }
}

function addMetrics(metrics: Metrics, maxBytes: number, usedBytes: () => number) {
  metrics.gauge({
    name: 'mailhook_body_bytes_in_flight',
    help: 'Memory that the bodies of open requests have reserved.',
    collect: (gauge) => gauge.set(usedBytes()),
  });
  metrics.gauge({
    name: 'mailhook_body_bytes_in_flight_max',
    help: 'Memory that the bodies of open requests may reserve: BODY_BYTES_IN_FLIGHT_MAX.',
    collect: (gauge) => gauge.set(maxBytes),
  });
  const refusals = metrics.counter({
    name: 'mailhook_bodies_refused_total',
    help: 'Requests refused because the memory for bodies was used up (full), or their body took too long (slow).',
    labels: ['sender', 'reason'],
  });
  for (const sender of Object.keys(SHARES)) {
    for (const reason of ['full', 'slow']) refusals.inc({ sender, reason }, 0);
  }
  return (sender: BodySender, reason: BodyRefusal): void => refusals.inc({ sender, reason });
}

/** The memory that this process may use: that of its container or machine, but at most twice V8's heap limit. */
export function usableMemoryBytes(): number {
  const containerBytes = process.constrainedMemory();
  return Math.min(totalmem(), containerBytes > 0 ? containerBytes : Infinity, 2 * getHeapStatistics().heap_size_limit);
}
