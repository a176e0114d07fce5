import type { BreakerPolicy, LocalFault, SettlePolicy } from '@mailhook/core';
import type { FreezeLimits, GivenUp, MailboxCommands } from '../mailbox/commands.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';
import type { Attempt } from '../record/attempt.ts';
import type { Sender } from './send-batch.ts';
import type { Drain } from './drain.ts';
import type { Lease } from './lease.ts';
import type { LoadLimits } from './load.ts';

export interface DrainPoolLimits extends FreezeLimits, LoadLimits {
  /** After this time, a destination goes to the back of the queue if others wait. */
  readonly sliceMs: number;
}

export interface DrainPoolDeps {
  readonly commands: Pick<MailboxCommands, 'append' | 'next' | 'take' | 'giveUpStep'>;
  readonly worker: string;
  readonly lease: Pick<Lease, 'isFresh'>;
  readonly sender: Sender;
  readonly settlePolicy: SettlePolicy;
  readonly breakerPolicy: BreakerPolicy;
  readonly limits: DrainPoolLimits;
  readonly onAttempt: (attempt: Attempt) => void;
  /** A batch could not be sent. The pool sends it later. */
  readonly onLocalFault: (fault: LocalFault) => void;
  /** Follow-ups that Redis has written: resends, which need wake-up jobs, and dead letters. */
  readonly onFollowUps: (destination: string, account: string, followUps: readonly FollowUpRecord[]) => void;
  readonly onParked: (destination: string, untilMs: number) => void;
  /** A receiver answered 410, and Redis has deactivated the destination. */
  readonly onGone: (destination: string, account: string, gone: NonNullable<Drain['gone']>) => void;
  readonly onGivenUp: (destination: string, givenUp: GivenUp) => void;
  readonly onError: (error: Error) => void;
}
