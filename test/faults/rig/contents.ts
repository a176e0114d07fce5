import { hash32 } from '@mailhook/core';

/** Compares the bodies of requests with the same `webhook-id`. Only `attempt` may differ. */
export interface Contents {
  /** Requests whose `webhook-id` came before. */
  readonly repeated: number;
  /** The ids that came with two contents. */
  readonly changed: readonly string[];
  /** Call it for each request, answered or not. */
  see(webhookId: string, text: string): void;
}

export function compareContents(): Contents {
  const seen = new Map<string, number>();
  const changed: string[] = [];
  let repeated = 0;
  return {
    get repeated() {
      return repeated;
    },
    changed,
    see(webhookId, text) {
      const content = hash32(text.replaceAll(/"attempt":\d+/g, ''));
      const before = seen.get(webhookId);
      seen.set(webhookId, content);
      if (before === undefined) return;
      repeated += 1;
      if (before !== content) changed.push(webhookId);
    },
  };
}
