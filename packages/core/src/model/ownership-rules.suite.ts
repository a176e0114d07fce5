/**
 * The delivery engine's ownership protocol (design, section 5) for one destination: mailbox, window of frozen batches, fencing tokens,
 * worker leases, the ready list, resends, parking and deletion. A script is one atomic step, as it is in Redis. Chunk jobs are BullMQ's:
 * at least once, run again after a crash, and possibly run beside a first run that was only frozen.
 */
export type Rule =
  /** A step names its token and is refused when another owns the destination. */
  | 'fence'
  /** Every claim makes a new token, also of a worker that owned the destination before. */
  | 'fresh token'
  /** An append leaves a mark; a second append of the same chunk pushes nothing. */
  | 'mark'
  /** An append whose job no longer exists does nothing: its mark may have expired. */
  | 'job exists'
  /** An append leaves a destination that is owned to its owner. */
  | 'leave owned ones alone'
  /** Only an empty mailbox is released. */
  | 'release only when empty'
  /** Who leaves mail behind puts the destination on the ready list in the same script. */
  | 'hand over to the ready list'
  /** Destinations of a worker without a lease go to the ready list. */
  | 'reap the dead'
  /** A claim enters its worker among the leases: it may have been reaped meanwhile, or not have beaten yet. */
  | 'claim takes a lease'
  /** A worker gives back what it owns and does not drain: a script ran, and its reply was lost. */
  | 'sweep orphans'
  /** A call says how many batches it knows to be in flight. When more are open, an earlier reply was lost: it asks again, naming those it knows. */
  | 'notice a lost reply'
  /** Who takes over sends again what its predecessor left open. */
  | 'resend the open window'
  /** ... with an attempt one higher. */
  | 'count the freezing'
  /** Only the longest done prefix of the window leaves the mailbox. */
  | 'trim a prefix'
  /** A failed batch moves to its own record in the script that settles it. */
  | 'move in the settling script'
  /** A resend's record lives until it is settled. */
  | 'keep the record until settled'
  /** Resends that are overdue are woken also when their wake-up job was never added. */
  | 'reconcile'
  /** Mail that arrives while the destination is held back is woken when the parking ends, also when it was idle before. */
  | 'remember held mail'
  /** A deletion wakes what waits, so that somebody drops it. */
  | 'wake on delete'
  /** An operator's pause wakes the destination, so that somebody parks it and the end of the pause finds it. */
  | 'wake on pause'
  /** Nothing is frozen while an operator's pause lasts. */
  | 'hold while paused'
  /** What is accepted after an operator's word is not given up with the rest. */
  | 'give up only what was there';
