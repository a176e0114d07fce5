import { StoreConflictError } from '@mailhook/core';
import type { SubscriptionType } from '@mailhook/core';

/** Both stores refuse one subscription too many in the same words. */
export const tooMany = (type: SubscriptionType, max: number): StoreConflictError =>
  new StoreConflictError(
    `The account has ${max} subscriptions of type ${type} already, the most there may be: change one of them or delete one`,
  );
