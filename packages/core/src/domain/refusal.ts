import type { Outcome } from './outcome.ts';

/** The statuses with which a receiver refuses the content itself. */
const REFUSAL_STATUSES: readonly number[] = [400, 413, 422];
/**
 * The statuses that may be about the content: an internal error of the receiver, and 200 with an acknowledgement that
 * confirms no event.
 */
const SUSPECT_STATUSES: readonly number[] = [200, 500];

/** Whether an attempt failed because of its events, according to the reply. */
export const isRefusal = (outcome: Outcome): boolean =>
  outcome.name === 'invalid-reply' || isRejectedWith(outcome, REFUSAL_STATUSES);

/** Whether an attempt may have failed because of its events. Only the replies to parts of the batch can show it. */
export const isSuspect = (outcome: Outcome): boolean => isRejectedWith(outcome, SUSPECT_STATUSES);

const isRejectedWith = ({ name, httpStatus }: Outcome, statuses: readonly number[]): boolean =>
  name === 'rejected' && statuses.includes(httpStatus ?? 0);

/**
 * Whether an attempt failed only because of its address: Mailhook must not call it, or its receiver answered 410.
 * Nothing is resent to it.
 */
export const isAddressAtFault = ({ name, httpStatus }: Outcome): boolean => name === 'blocked' || httpStatus === 410;
