import type { Outcome, Settlement } from '@mailhook/core';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { ExchangeFacts } from '../receiver-client/exchange.ts';

export interface Sent {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** How many events the request carried. */
  readonly events: number;
  /** The events of the request, as they are frozen. */
  readonly fragments: string;
  /** What names the events in the log. */
  readonly eventKeys: readonly string[];
  /** Undefined after an internal error. */
  readonly request?: SentRequest;
}

/** A request as the receiver client sent it, and what came back. */
export interface SentRequest extends Pick<ExchangeFacts, 'wasSent' | 'headers'> {
  readonly isRepeated?: ExchangeFacts['isRepeated'] | undefined;
  readonly body: string;
  /** Undefined if no reply came or none is kept (`REPLY_EXCERPT_BYTES`). */
  readonly received?: ExchangeFacts['received'];
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
