import { notification } from '../contracts/notification.ts';
import { subscriptionType } from '../contracts/subscription.ts';
import type { SubscriptionType } from '../contracts/subscription.ts';
import { sampleNotification } from './sample-notification.ts';

describe('sample notifications', () => {
  const bodyOf = (name: SubscriptionType): unknown =>
    JSON.parse(sampleNotification({ name, messageId: 'sample-7', what: 'a sample', nowMs: 1_790_000_000_999 }));

  it.each(subscriptionType.options)('have the same form as real notifications: %s', (name) => {
    expect(notification.parse(bodyOf(name))).toMatchObject({ name, messageId: 'sample-7', time: 1_790_000_000 });
  });

  it('say in a bounce that they are samples', () => {
    expect(bodyOf('bounce')).toMatchObject({ reason: '550 5.1.1 no such user (a sample)' });
  });
});
