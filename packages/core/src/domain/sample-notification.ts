import { exampleEvent } from '../contracts/producer-event.ts';
import type { SubscriptionType } from '../contracts/subscription.ts';
import type { Fragment } from './fragment.ts';
import { notificationFragment } from './fragment.ts';

export interface Sample {
  readonly name: SubscriptionType;
  /** An id by which a receiver recognizes that the message is not real. */
  readonly messageId: string;
  /** A description such as "a sample", which a bounce's reason shows in parentheses. */
  readonly what: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** The body of a test notification, serialized like a real one. */
export function sampleNotification({ name, messageId, what, nowMs }: Sample): Fragment {
  const event = exampleEvent(name);
  const reason = 'reason' in event ? { reason: `${event.reason} (${what})` } : {};
  return notificationFragment({ ...event, ...reason, messageId, time: Math.floor(nowMs / 1000) });
}
