import type { DrainReply } from '../../../packages/delivery/src/mailbox/replies.ts';
import { BatchContents } from './batch-contents.ts';
import { freezeBatch, resendInFlight } from './freeze.ts';
import type { Freeze } from './freeze.ts';
import { hasBatchInFlight, holdsAnything, holdsEvents, holdsNew } from './mailbox-state.ts';
import { isGivenUp, isParked, isPaused, newState } from './mailbox-state.ts';
import type { Entry, Lane, MailboxState } from './mailbox-state.ts';
import { applySettles } from './settle.ts';
import type { Settle } from './settle.ts';
import { must } from './violation.ts';

/** As in wake.lua. */
const EARLY_MS = 1000;

/**
 * The specified behavior of one campaign destination's mailbox. Where the commands may choose (the next batch), the
 * model checks that their choice is allowed and follows it. It decides everything else. `compareWithRedis` compares
 * both after each step.
 */
export class MailboxModel {
  s: MailboxState = newState();
  readonly contents = new BatchContents();

  /** `mayClaim`: the worker has room and a lease. */
  append(lane: Lane, entries: readonly Entry[], mayClaim: boolean): 'dropped' | 'owned' | 'claimed' | 'ready' | 'held' {
    const { s } = this;
    const events = entries.flatMap((entry) => entry.events);
    for (const event of events) s.accepted.add(event);
    if (s.record.deleted) {
      for (const event of events) s.dropped.add(event);
      return 'dropped';
    }
    s.lanes[lane].push(...entries);
    if (s.status === 'owned') return 'owned';
    if (s.status !== 'idle' || isParked(s) || isPaused(s)) return 'held';
    if (mayClaim) return 'claimed';
    this.queueReady();
    return 'ready';
  }

  claim(token: string): void {
    const { s } = this;
    s.status = 'owned';
    s.owner = token;
    if (!isPaused(s)) s.pausedUntilMs = 0;
  }

  #release(status: 'idle' | 'ready' | 'waiting'): void {
    this.s.status = status;
    this.s.owner = '';
  }

  /** Ends the ownership, if there is one, and puts the mailbox on a ready list. */
  queueReady(): void {
    this.#release('ready');
  }

  /** Puts the mailbox on a ready list unless a worker owns it. */
  makeReady(): void {
    if (this.s.status !== 'owned') this.queueReady();
  }

  settle(settles: readonly Settle[]): Set<string> {
    return applySettles(this.s, settles, this.contents);
  }

  /**
   * Checks the batches of a reply and freezes them in the model. Then ends the step and checks the status of the reply.
   */
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
    this.#finish(reply.status, freeze.isReleasing);
  }

  /**
   * Checks the status of a reply and ends the step. The due list may contain ids of deleted resends, which count as
   * due.
   */
  #finish(status: DrainReply['status'], isReleasing: boolean): void {
    const { s } = this;
    const live = s.due.filter((id) => s.resends.has(id));
    const wanted = [this.#endOf(isReleasing, live.length > 0)];
    if (live.length < s.due.length) wanted.push(this.#endOf(isReleasing, true));
    must(wanted.includes(status), `the status is ${status}, not ${wanted.join(' or ')}`);
    if (status === 'parked') this.#release('waiting');
    if (status === 'released') this.queueReady();
    if (status !== 'idle') return;
    this.#release('idle');
    s.givenUpUntilMs = 0;
    s.due = [];
  }

  #endOf(isReleasing: boolean, isDue: boolean): DrainReply['status'] {
    const { s } = this;
    if (hasBatchInFlight(s)) return 'ok';
    if ((!s.record.active || isGivenUp(s)) && (holdsNew(s) || isDue || s.resends.size > 0)) return 'give up';
    if (!s.record.deleted && ((s.record.active && isPaused(s)) || (isParked(s) && !isDue))) return 'parked';
    if (!holdsNew(s) && !isDue) return 'idle';
    return isReleasing ? 'released' : 'again';
  }

  /** A job or a heartbeat wakes the destination, for a resend or ('') for itself. */
  wake(id: string): void {
    const { s } = this;
    if (id !== '') {
      const resend = s.resends.get(id);
      if (resend?.place !== 'later' || resend.dueAtMs > Date.now() + EARLY_MS) return;
      resend.place = 'due';
      s.due.push(id);
    }
    if (s.status === 'owned' || s.status === 'ready') return;
    const isDue = s.due.length > 0;
    if (s.record.active && !isGivenUp(s) && s.window.length === 0) {
      const untilMs = isPaused(s) || !isDue ? Math.max(s.breaker.parkedUntilMs, s.pausedUntilMs) : 0;
      if (untilMs > Date.now() + EARLY_MS) {
        s.status = 'waiting';
        return;
      }
    }
    const isHeld = s.record.active && isPaused(s);
    if (id !== '' && isHeld) return;
    const isEmpty = s.window.length === 0 && !holdsEvents(s) && !isDue;
    if (!isHeld && isEmpty && (s.record.active || s.resends.size === 0)) {
      if (!isParked(s)) s.status = 'idle';
      return;
    }
    this.queueReady();
  }

  /** A new record of the destination, or a new address. */
  save(version: number, active: boolean, isNewAddress: boolean, isBack = false): void {
    const { s } = this;
    if (s.record.deleted && !isBack) return;
    const isSwitched = isBack || s.record.active !== active;
    s.record = { active, deleted: false, version };
    if (!isSwitched && !isNewAddress) return;
    s.breaker = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
    if (isSwitched) {
      s.pausedUntilMs = 0;
      s.givenUpUntilMs = 0;
    }
    if (!isPaused(s) && s.status === 'waiting') s.status = 'idle';
    if (holdsEvents(s) || s.due.length > 0 || s.window.length > 0 || (!active && s.resends.size > 0)) this.makeReady();
  }

  remove(): void {
    const { s } = this;
    if (s.record.deleted) return;
    s.record = { ...s.record, active: false, deleted: true };
    if (s.status === 'waiting') s.status = 'idle';
    if (holdsAnything(s)) this.makeReady();
    else if (s.status === 'idle') s.due = [];
  }
}
