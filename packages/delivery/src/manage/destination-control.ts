import type { Installation } from '../mailbox/installation.ts';
import { findKeys } from '../mailbox/find-keys.ts';
import type { DestinationCommands, PausedBy } from '../mailbox/commands/manage.ts';
import { createDestinationCommands } from '../mailbox/commands/manage.ts';

type ReplyOf<Action extends 'pause' | 'resume' | 'sendNow' | 'probe' | 'requestGiveUp'> = Awaited<
  ReturnType<DestinationCommands[Action]>
>;

/**
 * What operators and customers do with a destination, by its internal id. Each is one atomic step. They reject while
 * Redis is away.
 */
export interface DestinationControl {
  /**
   * Sends no new events and no resends until then, when the pause ends by itself. Requests in flight continue. A
   * customer cannot change an operator's pause.
   */
  pause(id: string, untilMs: number, by?: PausedBy): Promise<ReplyOf<'pause'>>;
  resume(id: string, by?: PausedBy): Promise<ReplyOf<'resume'>>;
  /**
   * Sends all resends as fast as the receiver takes them, instead of at their scheduled times. If the last attempt
   * failed, one is tried first.
   */
  sendNow(id: string): Promise<ReplyOf<'sendNow'>>;
  /** Tries one event of a parked destination now. */
  probe(id: string): Promise<ReplyOf<'probe'>>;
  /**
   * Turns all events accepted until now into dead letters with the error "given up by an operator". A worker does it
   * later, in steps.
   */
  drop(id: string): Promise<ReplyOf<'requestGiveUp'>>;
}

export function createDestinationControl(installation: Installation): DestinationControl {
  const { redis } = installation;
  const act = async <Reply>(
    id: string,
    action: (commands: DestinationCommands) => Promise<Reply>,
  ): Promise<Reply | 'unknown'> => {
    const keys = await findKeys(installation, id);
    return keys === undefined ? 'unknown' : action(createDestinationCommands(redis, keys));
  };
  return {
    pause: (id, untilMs, by) => act(id, (commands) => commands.pause(id, untilMs, by)),
    resume: (id, by) => act(id, (commands) => commands.resume(id, by)),
    sendNow: (id) => act(id, (commands) => commands.sendNow(id)),
    probe: (id) => act(id, (commands) => commands.probe(id)),
    drop: (id) => act(id, (commands) => commands.requestGiveUp(id)),
  };
}
