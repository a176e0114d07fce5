import type { Outcome, Settlement } from '@mailhook/core';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';

export interface Sent {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** How many events the request carried. */
  readonly events: number;
  /** The keys by which customers search for events: hashes of campaign events, the `messageId` of a notification. */
  readonly eventKeys: readonly string[];
}

/** A completed attempt, for the log, the metrics and the engine. */
export interface Attempt {
  readonly destination: string;
  readonly batch: FrozenBatch;
  readonly target: SendTarget;
  readonly webhookId: string;
  readonly sent: Sent;
  readonly settlement: Settlement;
  readonly endedAtMs: number;
}
