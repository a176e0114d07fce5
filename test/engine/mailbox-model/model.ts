import type { DrainReply } from '../../../packages/delivery/src/mailbox/replies.ts';
import { BatchContents } from './batch-contents.ts';
import { freezeBatch, resendInFlight } from './freeze.ts';
import type { Freeze } from './freeze.ts';
import { hasBatchInFlight, holdsEvents, isGivenUp, isParked, isPaused, newState } from './mailbox-state.ts';
import type { Entry, Lane, MailboxState } from './mailbox-state.ts';
import { applySettles } from './settle.ts';
import type { Settle } from './settle.ts';
import { must } from './violation.ts';

/**
 * The specified behavior of one campaign destination's mailbox. Where the scripts may choose (the next batch), the model checks that their choice is
 * allowed and follows it. It decides everything else. `compareWithRedis` compares both after each step.
 */
export class MailboxModel {
  s: MailboxState = newState();
  readonly contents = new BatchContents();

  append(lane: Lane, entries: readonly Entry[], room: boolean): 'dropped' | 'owned' | 'claimed' | 'ready' | 'held' {
    const { s } = this;
    const events = entries.flatMap((entry) => entry.events);
    for (const event of events) s.accepted.add(event);
    if (s.record.deleted) {
      for (const event of events) s.dropped.add(event);
      return 'dropped';
    }
    s.lanes[lane].push(...entries);
    if (s.owner !== '') return 'owned';
    if (s.ready || isParked(s) || isPaused(s)) return 'held';
    if (room) return 'claimed';
    s.ready = true;
    return 'ready';
  }

  claim(token: string): void {
    const { s } = this;
    s.owner = token;
    if (!isPaused(s)) s.pausedUntilMs = 0;
  }

  release(): void {
    this.s.owner = '';
  }

  queueReady(): void {
    if (this.s.owner === '') this.s.ready = true;
  }

  settle(settles: readonly Settle[]): Set<string> {
    return applySettles(this.s, settles, this.contents);
  }

  /** Checks the batches of a reply and freezes them in the model. Then ends the step and checks the status of the reply. */
  serve(reply: DrainReply, freeze: Freeze): void {
    const { s } = this;
    const fresh = [...reply.batches];
    if (freeze.known !== undefined) resendInFlight(s, fresh, freeze.known);
    const before = s.window.length;
    for (const batch of fresh) freezeBatch(s, batch, freeze, this.contents);
    const mayFreeze = s.record.active && !isPaused(s) && !isGivenUp(s) && freeze.window > 0 && !freeze.isReleasing;
    if (mayFreeze && !hasBatchInFlight(s) && before === s.window.length) {
      must(
        s.due.every((id) => !s.resends.has(id)),
        'a due resend is left although nothing is in flight',
      );
      must(isParked(s) || !holdsEvents(s), 'events are left although nothing is in flight');
    }
    this.finish(reply.status, freeze.isReleasing);
  }

  /** Checks the status of a reply and ends the step. The due list may contain ids of deleted resends, which count as due. */
  finish(status: DrainReply['status'], isReleasing: boolean): void {
    const { s } = this;
    const live = s.due.filter((id) => s.resends.has(id));
    const wanted = [this.#endOf(isReleasing, live.length > 0)];
    if (live.length < s.due.length) wanted.push(this.#endOf(isReleasing, true));
    must(wanted.includes(status), `the status is ${status}, not ${wanted.join(' or ')}`);
    if (['parked', 'idle', 'released'].includes(status)) this.release();
    if (status === 'released') this.queueReady();
    if (status === 'idle') [s.givenUpUntilMs, s.due] = [0, []];
  }

  #endOf(isReleasing: boolean, isDue: boolean): DrainReply['status'] {
    const { s } = this;
    if (hasBatchInFlight(s)) return 'ok';
    if ((!s.record.active || isGivenUp(s)) && (holdsEvents(s) || isDue || s.resends.size > 0)) return 'give up';
    if (!s.record.deleted && ((s.record.active && isPaused(s)) || (isParked(s) && !isDue))) return 'parked';
    if (!holdsEvents(s) && !isDue) return 'idle';
    return isReleasing ? 'released' : 'again';
  }

  /** A job or a heartbeat wakes the destination, for a resend or ('') for itself. */
  wake(id: string): void {
    const { s } = this;
    if (id !== '') {
      const resend = s.resends.get(id);
      if (resend?.place !== 'later' || resend.dueAtMs > Date.now() + 1000) return;
      resend.place = 'due';
      s.due.push(id);
    }
    if (s.owner !== '' || s.ready) return;
    const isDue = s.due.length > 0;
    if (s.record.active && !isGivenUp(s) && s.window.length === 0) {
      const untilMs = isPaused(s) || !isDue ? Math.max(s.breaker.parkedUntilMs, s.pausedUntilMs) : 0;
      if (untilMs > Date.now() + 1000) return;
    }
    if (id !== '' && s.record.active && isPaused(s)) return;
    const isEmpty = s.window.length === 0 && !holdsEvents(s) && !isDue;
    if (!isPaused(s) && isEmpty && (s.record.active || s.resends.size === 0)) return;
    s.ready = true;
  }
}
