import type { Outcome } from './outcome.ts';
import { statusRule } from './status-rules.ts';

/** Whether an attempt failed because of its events, according to the reply. */
export const isRefusal = (outcome: Outcome): boolean =>
  outcome.name === 'invalid-reply' || contentOf(outcome) === 'yes';

/** Whether an attempt may have failed because of its events. Only the replies to parts of the batch can show it. */
export const isSuspect = (outcome: Outcome): boolean => contentOf(outcome) === 'maybe';

const contentOf = ({ name, httpStatus }: Outcome) =>
  name === 'rejected' ? statusRule(httpStatus).isAboutContent : undefined;

/**
 * Whether an attempt failed only because of its address: Mailhook must not call it, or its receiver ended deliveries.
 * Nothing is resent to it.
 */
export const isAddressAtFault = ({ name, httpStatus }: Outcome): boolean =>
  name === 'blocked' || statusRule(httpStatus).endsDeliveries === true;
