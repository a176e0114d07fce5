import { StoreConflictError } from '@mailhook/core';
import type { SubscriptionType } from '@mailhook/core';

/** Both stores throw this error for a subscription beyond the limit, so that customers read the same text. */
export const subscriptionLimitError = (type: SubscriptionType, max: number): StoreConflictError =>
  new StoreConflictError(
    `The account has ${max} subscriptions of type ${type} already, the most there may be: change one of them or delete one`,
  );
