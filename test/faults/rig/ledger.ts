import { eventually } from '@mailhook/testing';

/** The first confirmation of an event, and the time of the last one. */
interface Receipt {
  readonly webhookId: string;
  lastAtMs: number;
}

/** A repeated confirmation of an event. */
export interface Repeat {
  readonly key: string;
  /** Path of the receiver. */
  readonly path: string;
  /** The time of the confirmation before this one, in `performance.now()`. */
  readonly beforeMs: number;
  /** The time of this confirmation, in `performance.now()`. */
  readonly againMs: number;
}

/**
 * Counts every event at both ends: accepted with a 202, and confirmed by its receiver, how often and under which
 * `webhook-id`.
 */
export interface Ledger {
  readonly accepted: number;
  /** Accepted events that no receiver has confirmed yet. */
  readonly outstanding: number;
  /** Distinct confirmed events, even those without a 202, because a lost 202 does not lose the event. */
  readonly delivered: number;
  /** Confirmations beyond the first, of all events. */
  readonly duplicates: number;
  /** Each confirmation beyond the first. */
  readonly repeats: readonly Repeat[];
  /** Events that arrived again under a different `webhook-id`. */
  readonly renamed: readonly string[];
  readonly lastDeliveryAtMs: number;
  /** The longest time from an event's 202 to its confirmation. 0 for an event that was confirmed before its 202. */
  readonly greatestDelayMs: number;
  /** Call it when a request got its 202. */
  accept(keys: readonly string[]): void;
  /** Call it when a receiver confirmed an event. */
  confirm(key: string, webhookId: string, path?: string): void;
  /** Whether a receiver has confirmed the event. */
  isConfirmed(key: string): boolean;
  missing(atMost?: number): readonly string[];
  /** Resolves when each accepted event is confirmed. Rejects with some of the missing ones after this time. */
  untilWhole(withinMs: number): Promise<void>;
  /**
   * Resolves with the milliseconds until all events that are outstanding now are confirmed. `isCounted` selects the
   * events by key.
   */
  caughtUp(isCounted?: (key: string) => boolean): Promise<number>;
}

export function createLedger(): Ledger {
  /** When each unconfirmed event was accepted, by key. */
  const waiting = new Map<string, number>();
  const receipts = new Map<string, Receipt>();
  const renamed: string[] = [];
  const followed = new Set<{ readonly left: Set<string>; readonly done: () => void }>();
  let accepted = 0;
  const repeats: Repeat[] = [];
  let lastDeliveryAtMs = 0;
  let greatestDelayMs = 0;
  const missing = (atMost = 10): string[] => [...waiting.keys()].slice(0, atMost);
  return {
    get accepted() {
      return accepted;
    },
    get outstanding() {
      return waiting.size;
    },
    get delivered() {
      return receipts.size;
    },
    get duplicates() {
      return repeats.length;
    },
    repeats,
    renamed,
    get lastDeliveryAtMs() {
      return lastDeliveryAtMs;
    },
    get greatestDelayMs() {
      return Math.round(greatestDelayMs);
    },
    accept(keys) {
      accepted += keys.length;
      const acceptedAtMs = performance.now();
      for (const key of keys) if (!receipts.has(key)) waiting.set(key, acceptedAtMs);
    },
    confirm(key, webhookId, path = '') {
      const nowMs = performance.now();
      const receipt = receipts.get(key);
      if (receipt === undefined) {
        receipts.set(key, { webhookId, lastAtMs: nowMs });
        lastDeliveryAtMs = nowMs;
        greatestDelayMs = Math.max(greatestDelayMs, nowMs - (waiting.get(key) ?? nowMs));
        waiting.delete(key);
        for (const one of followed) if (one.left.delete(key) && one.left.size === 0) one.done();
        return;
      }
      repeats.push({ key, path, beforeMs: receipt.lastAtMs, againMs: nowMs });
      receipt.lastAtMs = nowMs;
      if (receipt.webhookId !== webhookId) renamed.push(`${key}: ${receipt.webhookId}, then ${webhookId}`);
    },
    isConfirmed: (key) => receipts.has(key),
    missing,
    async untilWhole(withinMs) {
      await eventually(() => waiting.size === 0, { withinMs, what: 'every accepted event' }).catch((error: unknown) => {
        throw new Error(`${waiting.size} of ${accepted} events are missing: ${missing().join(', ')}`, { cause: error });
      });
    },
    caughtUp: (isCounted = () => true) =>
      new Promise((resolve) => {
        const startedAtMs = performance.now();
        const one = {
          left: new Set([...waiting.keys()].filter(isCounted)),
          done: () => {
            followed.delete(one);
            resolve(Math.round(performance.now() - startedAtMs));
          },
        };
        if (one.left.size === 0) one.done();
        else followed.add(one);
      }),
  };
}
