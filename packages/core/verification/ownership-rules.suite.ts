/**
 * The delivery engine's ownership protocol (docs/decisions/0001) for one destination: mailbox, window of frozen
 * batches, fencing tokens, worker leases, the ready list, resends, parking and deletion. A function is one atomic step,
 * as in Redis. BullMQ runs each chunk job at least once. It runs the job again after a crash, and possibly beside a
 * first run that was only stalled.
 */
export type Rule =
  /** Each call names its token, and is refused when the destination has another owner. */
  | 'fence'
  /** Every claim makes a new token, even if the same worker owned the destination before. */
  | 'fresh token'
  /** An append leaves a mark, so that a second append of the same chunk adds nothing. */
  | 'mark'
  /** An append does nothing if its job no longer exists, because its mark may have expired. */
  | 'job exists'
  /** An append does not claim a destination that has an owner. */
  | 'claim only without an owner'
  /** Only an empty mailbox is released. */
  | 'release only when empty'
  /** A function that ends the ownership of a mailbox with waiting events puts the destination on the ready list. */
  | 'put on the ready list'
  /** The destinations of a worker with an expired lease go to the ready list. */
  | 'put back after the lease'
  /** A claim also gives its worker a lease if it has none, because it was forgotten or has sent no heartbeat yet. */
  | 'claim takes a lease'
  /**
   * A worker whose lease has ended claims nothing. Survivors search for its destinations in pages, and a claim on a
   * page that they have passed would not be found.
   */
  | 'claim only with a lease'
  /** The search for a worker's destinations begins anew if it has got another lease meanwhile. */
  | 'search anew'
  /** A worker releases destinations that it owns but does not drain, because a function ran and its reply was lost. */
  | 'put back orphans'
  /**
   * A call says how many batches it knows to be in flight. If the window has more, a reply was lost, and the drain
   * calls again with the ids it knows.
   */
  | 'notice a lost reply'
  /** A new owner sends the unsettled batches of the previous owner again. */
  | 'resend batches in flight'
  /** A batch that is sent again gets an attempt one higher. */
  | 'raise the attempt'
  /** Only the longest settled prefix of the window leaves the mailbox. */
  | 'trim a prefix'
  /** A failed batch moves to its own record in the function that settles it. */
  | 'move in the settling function'
  /** A resend's record lives until it is settled. */
  | 'keep the record until settled'
  /** Overdue resends are woken even if their wake-up job was never added. */
  | 'reconcile'
  /**
   * A parked or paused destination is woken at the end of its wait even if it had no events before, so that events that
   * arrive meanwhile are found.
   */
  | 'wake after parking'
  /** Deleting a destination with events wakes it, so that a worker discards them. */
  | 'wake on delete'
  /** An operator's pause wakes the destination, so that a worker parks it and the end of the pause finds it. */
  | 'wake on pause'
  /** No batch is frozen during an operator's pause. */
  | 'freeze nothing while paused'
  /** Events that are accepted after an operator's command are not given up with the earlier ones. */
  | 'give up only earlier events';
