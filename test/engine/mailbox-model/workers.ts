import type { Heartbeat } from '../../../packages/delivery/src/mailbox/heartbeat.ts';
import type { DrainReply, FrozenBatch } from '../../../packages/delivery/src/mailbox/replies.ts';
import type { Name } from './mailbox-state.ts';
import type { Settle } from './settle.ts';

/** A batch in flight. */
interface InFlight {
  readonly id: string;
  readonly lane: FrozenBatch['lane'];
  readonly attempt: number;
  readonly events: readonly Name[];
  readonly version: number;
}

/** One destination in a worker's memory, as the drain pool keeps it. */
export interface Drain {
  readonly token: string;
  readonly inFlight: Map<string, InFlight>;
  settles: Settle[];
  /** Of the record that the worker knows. */
  version: number;
  revision: number;
  isLost: boolean;
  isReleasing: boolean;
  isGivingUp: boolean;
  breaker: { failures: number; parkMs: number; parkedUntilMs: number; version: number } | undefined;
}

export interface Worker {
  readonly name: string;
  claims: number;
  /** Its lease has ended. */
  isAway: boolean;
  /** Its last heartbeat. */
  last?: Heartbeat;
  readonly drains: Map<string, Drain>;
}

/** Applies a reply to a worker's drain: its batches and its status. */
export function takeOver(worker: Worker, drain: Drain, reply: DrainReply): void {
  if (reply.target !== undefined) {
    drain.version = reply.state.version;
    drain.revision = reply.state.revision;
  }
  for (const { id, lane, attempt, fragments } of reply.batches) {
    drain.inFlight.set(id, { id, lane, attempt, events: fragments.split('\n'), version: drain.version });
  }
  if (reply.status === 'lost') drain.isLost = true;
  else if (reply.status === 'give up') drain.isGivingUp = true;
  else if (!['ok', 'again'].includes(reply.status)) worker.drains.delete(drain.token);
}
