/** What a receiver confirmed of one event. */
interface Receipt {
  readonly webhookId: string;
  count: number;
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
  /** Events that came again under another `webhook-id` than the first time. */
  readonly renamed: readonly string[];
  readonly lastDeliveryAtMs: number;
  /** The longest that an event took from its 202 to its confirmation; 0 for one that was confirmed first. */
  readonly greatestDelayMs: number;
  /** Called when a request got its 202. */
  accept(keys: readonly string[]): void;
  /** Called when a receiver confirmed an event. */
  confirm(key: string, webhookId: string): void;
  missing(atMost?: number): readonly string[];
  /** Resolves with the milliseconds until everything that is outstanding now has been confirmed. */
  caughtUp(): Promise<number>;
}

export function createLedger(): Ledger {
  /** By key, when the event was accepted. */
  const waiting = new Map<string, number>();
  const receipts = new Map<string, Receipt>();
  const renamed: string[] = [];
  const followed = new Set<{ readonly left: Set<string>; readonly done: () => void }>();
  let accepted = 0;
  let duplicates = 0;
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
      return duplicates;
    },
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
    confirm(key, webhookId) {
      const receipt = receipts.get(key);
      if (receipt === undefined) {
        receipts.set(key, { webhookId, count: 1 });
        lastDeliveryAtMs = performance.now();
        greatestDelayMs = Math.max(greatestDelayMs, lastDeliveryAtMs - (waiting.get(key) ?? lastDeliveryAtMs));
        waiting.delete(key);
        for (const one of followed) if (one.left.delete(key) && one.left.size === 0) one.done();
        return;
      }
      receipt.count += 1;
      duplicates += 1;
      if (receipt.webhookId !== webhookId) renamed.push(`${key}: ${receipt.webhookId}, then ${webhookId}`);
    },
    missing: (atMost = 10) => [...waiting.keys()].slice(0, atMost),
    caughtUp: () =>
      new Promise((resolve) => {
        const startedAtMs = performance.now();
        const one = {
          left: new Set(waiting.keys()),
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
