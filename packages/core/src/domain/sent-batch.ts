import type { CodedText } from './coded-text.ts';
import { FRAGMENT_SEPARATOR } from './fragment.ts';
import type { RetryPolicy } from './retry.ts';

/** A sent batch, with the state that decides its follow-ups. */
export interface SentBatch {
  /**
   * Fragments joined by line breaks (see `domain/fragment`). A request carries all of them, or the part that
   * `partToSend` returns.
   */
  readonly fragments: string;
  readonly events: number;
  /**
   * The position in the schedule: recorded failures so far. In a search, the failures since the last reply that says
   * something about the events.
   */
  readonly step: number;
  /** The part of the batch that is tried, and what is known about the others (`searchText`). '' for the whole batch. */
  readonly search: string;
}

/** Some events of a batch. */
export interface Part {
  readonly fragments: string;
  readonly events: number;
}

/**
 * The `webhook-id` of a follow-up. `batch`: the id of the batch, because it has the same events. `request`: the id of
 * the request, because it has exactly the events of the request. `new`: a new id.
 */
type Identity = 'batch' | 'request' | 'new';

/** The next step for events that an attempt did not deliver. */
export interface FollowUp extends Part {
  readonly type: 'resend' | 'send-now' | 'dead';
  readonly identity: Identity;
  /** Whether the request carried some of these events. False for events that merely belong to the same batch. */
  readonly isTried: boolean;
  readonly step: number;
  readonly search: string;
  readonly waitMs: number;
  /** Why Mailhook gave the events up, if the reply to this attempt does not show it. */
  readonly reason?: CodedText;
}

export interface Settlement {
  /** The number of events that the attempt delivered. */
  readonly delivered: number;
  readonly followUps: readonly FollowUp[];
  /** The request was too large (413), and smaller ones follow at once. */
  readonly isHalved?: boolean;
  /** The size of a smaller request that the receiver read, as `bodyBytes` counts it. */
  readonly fittingBytes?: number;
}

export interface SettlePolicy {
  readonly retry: RetryPolicy;
  /** `PARTIAL_ACK`: resend exactly the unconfirmed events, or the whole request. */
  readonly partialAck: 'unconfirmed' | 'batch';
  /** `POISON_SPLIT`: search a refused batch for the events that its receiver cannot take. */
  readonly poisonSplit: boolean;
}

/** The events of a batch from position `from` to `to`, without `to`. */
export const partOf = (fragments: readonly string[], from: number, to: number): Part => ({
  fragments: fragments.slice(from, to).join(FRAGMENT_SEPARATOR),
  events: to - from,
});

/** The events of a batch at these positions. */
export function pick({ fragments }: Part, positions: readonly number[]): Part {
  const list = fragments.split(FRAGMENT_SEPARATOR);
  return {
    fragments: positions.map((position) => list[position]).join(FRAGMENT_SEPARATOR),
    events: positions.length,
  };
}
