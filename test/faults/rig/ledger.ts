/** What a receiver confirmed of one event. */
interface Receipt {
  readonly webhookId: string;
  lastAtMs: number;
}

/** An event that was confirmed again. */
export interface Repeat {
  readonly key: string;
  /** Path of the receiver. */
  readonly path: string;
  /** Of the confirmation before this one and of this one, in `performance.now()`. */
  readonly beforeMs: number;
  readonly againMs: number;
}

/** Counts every event at both ends: which were accepted with 202, which were confirmed by their receiver, how often and under which `webhook-id`. */
export interface Ledger {
  readonly accepted: number;
  /** Accepted events that no receiver has confirmed yet. */
  readonly outstanding: number;
  /** Different events that were confirmed, accepted or not (a lost 202 is no lost event). */
  readonly delivered: number;
  /** Confirmations beyond the first, of all events. */
  readonly duplicates: number;
  /** Confirmations beyond the first, one by one. */
  readonly repeats: readonly Repeat[];
  /** Events that came again under another `webhook-id` than the first time. */
  readonly renamed: readonly string[];
  readonly lastDeliveryAtMs: number;
  /** The longest that an event took from its 202 to its confirmation; 0 for one that was confirmed first. */
  readonly greatestDelayMs: number;
  /** Called when a request got its 202. */
  accept(keys: readonly string[]): void;
  /** Called when a receiver confirmed an event. */
  confirm(key: string, webhookId: string, path?: string): void;
  missing(atMost?: number): readonly string[];
  /** Resolves with the milliseconds until all events that are outstanding now have been confirmed. `isCounted` may leave some out, by key. */
  caughtUp(isCounted?: (key: string) => boolean): Promise<number>;
}

export function createLedger(): Ledger {
  /** By key, when the event was accepted. */
  const waiting = new Map<string, number>();
  const receipts = new Map<string, Receipt>();
  const renamed: string[] = [];
  const followed = new Set<{ readonly left: Set<string>; readonly done: () => void }>();
  let accepted = 0;
  const repeats: Repeat[] = [];
  let lastDeliveryAtMs = 0;
  let greatestDelayMs = 0;
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
    missing: (atMost = 10) => [...waiting.keys()].slice(0, atMost),
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
