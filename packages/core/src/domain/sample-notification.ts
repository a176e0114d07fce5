import type { TransactionalEvent } from '../contracts/producer-event.ts';
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

/**
 * The body of a test notification, serialized like a real one. The IP address and domain are reserved for documentation
 * (RFC 5737, RFC 2606).
 */
export const sampleNotification = (sample: Sample): Fragment => notificationFragment(sampleEvent(sample));

function sampleEvent({ name, messageId, what, nowMs }: Sample): TransactionalEvent {
  const common = { account: '', module: 'transactional_email', messageId, time: Math.floor(nowMs / 1000) } as const;
  switch (name) {
    case 'open':
      return { ...common, name, ip: '192.0.2.1' };
    case 'click':
      return {
        ...common,
        name,
        ip: '192.0.2.1',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
        url: 'https://www.example.com/offers?page=2',
      };
    case 'bounce':
      return { ...common, name, type: 'hard', reason: `550 5.1.1 The mailbox does not exist (${what})` };
  }
}
