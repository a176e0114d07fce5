import type { BatchContents } from './batch-contents.ts';
import type { MailboxState, Name } from './mailbox-state.ts';

/** A worker's report of an attempt: the delivered events, and the follow-ups of the others. */
export interface Settle {
  readonly id: string;
  readonly attempt: number;
  readonly delivered: readonly Name[];
  readonly followUps: readonly FollowUp[];
  /** The version of the record that the attempt was made for. */
  readonly version: number;
  readonly judgesAddress: boolean;
}

export interface FollowUp {
  readonly type: 'resend' | 'send-now' | 'dead';
  readonly id: string;
  readonly events: readonly Name[];
  readonly waitMs: number;
}

/** Writes attempts to the state. Returns the ids of the batches that are resent to a new address. */
export function applySettles(s: MailboxState, settles: readonly Settle[], contents: BatchContents): Set<string> {
  const follow = new Set<string>();
  for (const settle of settles) if (settleOne(s, settle, contents)) follow.add(settle.id);
  if (settles.length > 0) trim(s);
  return follow;
}

/** Returns whether the events are resent to a new address. */
function settleOne(s: MailboxState, settle: Settle, contents: BatchContents): boolean {
  const { id, attempt, delivered, followUps, version, judgesAddress } = settle;
  const batch = s.window.find((one) => one.id === id && !one.isSettled && one.attempt === attempt);
  if (batch === undefined) return false;
  batch.isSettled = true;
  for (const event of delivered) s.delivered.add(event);
  const isDead = followUps.some(({ type }) => type === 'dead');
  const follows = isDead && judgesAddress && version !== s.record.version && s.record.active;
  let isSame = false;
  for (const followUp of followUps) {
    if (followUp.type === 'dead' && !follows) {
      s.deadLetters.set(followUp.id, followUp.events);
      continue;
    }
    const isLater = followUp.type === 'resend';
    isSame ||= followUp.id === id;
    contents.see(followUp.id, followUp.events);
    const place = isLater ? ('later' as const) : ('due' as const);
    s.resends.set(followUp.id, { events: followUp.events, attempt, place, dueAtMs: Date.now() + followUp.waitMs });
    if (!isLater) s.due.push(followUp.id);
  }
  if (batch.lane === 'x' && !isSame) s.resends.delete(id);
  return follows;
}

/** Removes settled batches from the window. A batch of a lane stays until the earlier ones of its lane are settled. */
function trim(s: MailboxState): void {
  const blocked = new Set<string>();
  s.window = s.window.filter((batch) => {
    if (batch.isSettled && (batch.lane === 'x' || !blocked.has(batch.lane))) {
      if (batch.lane !== 'x') s.lanes[batch.lane].splice(0, batch.entries);
      return false;
    }
    if (batch.lane !== 'x') blocked.add(batch.lane);
    return true;
  });
}
