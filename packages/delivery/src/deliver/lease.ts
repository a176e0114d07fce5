import { untilNextMs } from '@mailhook/platform/timers';
import type { CountsByProven, MailboxCommands } from '../mailbox/commands/engine.ts';
import { LATE_REPLIES_MAX, LEASE_MARGIN_MS } from './limits.ts';
import type { Heartbeat } from '../mailbox/heartbeat.ts';
import type { EngineObserver } from './observer.ts';
import type { Runtime, Timer } from './runtime.ts';

export interface LeaseOptions {
  readonly commands: Pick<MailboxCommands, 'heartbeat'>;
  readonly runtime: Runtime;
  readonly worker: string;
  /** `<host name> <pid>`, for operators. */
  readonly host: string;
  /** How long a worker keeps its destinations without a heartbeat. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** A resend that is due later is brought forward: the clock of Redis went back. */
  readonly longestWaitMs: number;
  /** Gets the number of destinations that wait for a worker, unless there are none. */
  readonly onWaiting: (waiting: CountsByProven) => void;
  /** Redis has loaded its data anew, so it may have lost its last writes. */
  readonly onReloaded: () => void;
  readonly observer: Pick<EngineObserver, 'recovered' | 'repaired' | 'lostWrites' | 'violation' | 'error'>;
}

const NO_ANSWER = 'Redis does not answer';

/**
 * A worker's lease. When the lease of a dead worker ends, the next heartbeat of another worker puts its destinations
 * back on the ready lists. Recovery takes at most `leaseMs + heartbeatMs` and does not depend on BullMQ.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #stopped = false;
  #lastError = NO_ANSWER;
  #lateReplies = 0;
  #last: Heartbeat | undefined;
  #isLogOn = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /**
   * Whether requests may be sent now. False after a pause of the process, and from a failed heartbeat to the next
   * confirmed one.
   */
  get isFresh(): boolean {
    return this.#options.runtime.now() < this.#validUntilMs - LEASE_MARGIN_MS;
  }

  /**
   * Whether the event log gets outcomes. An api switches it on and then waits for a heartbeat of every worker.
   */
  get isLogOn(): boolean {
    return this.#isLogOn;
  }

  /** Why the last renewal failed. */
  get lastError(): string {
    return this.#lastError;
  }

  async start(): Promise<void> {
    await this.#sendHeartbeat();
  }

  /**
   * Gives up the lease. This heartbeat, or the next one of another worker, puts back the destinations that this worker
   * still owns.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    const { commands, runtime, worker, heartbeatMs } = this.#options;
    runtime.cancel(this.#timer);
    await commands.heartbeat(worker, 0, heartbeatMs);
  }

  async #sendHeartbeat(): Promise<void> {
    const { commands, runtime, worker, host, leaseMs, heartbeatMs, longestWaitMs, onWaiting, onReloaded, observer } =
      this.#options;
    let askedAtMs = runtime.now();
    try {
      for (let whole = false; !whole && !this.#stopped;) {
        askedAtMs = runtime.now();
        const isGivingUp = this.#lateReplies >= LATE_REPLIES_MAX;
        const more = { host, last: this.#last, longestWaitMs };
        const reply = await commands.heartbeat(worker, isGivingUp ? 0 : leaseMs, heartbeatMs, more);
        if (this.#last !== undefined && this.#last.loadedAtMs !== reply.heartbeat.loadedAtMs) onReloaded();
        this.#last = reply.heartbeat;
        this.#isLogOn = reply.isLogOn;
        this.#onReply(isGivingUp ? Number.NEGATIVE_INFINITY : askedAtMs + leaseMs, runtime.now() - askedAtMs);
        whole = reply.whole;
        if (reply.lostWrites !== undefined) observer.lostWrites(reply.lostWrites);
        for (const violation of reply.violations) observer.violation(violation);
        if (reply.moved > 0 && !isGivingUp) observer.recovered(reply.moved);
        observer.repaired('resend', reply.lost.resends);
        observer.repaired('park', reply.lost.parkings);
        if (this.isFresh && reply.waiting.proven + reply.waiting.others > 0) onWaiting(reply.waiting);
      }
    } catch (error) {
      // Redis may come back without the last renewals, and then give the destinations to another worker.
      this.#validUntilMs = Number.NEGATIVE_INFINITY;
      this.#lastError = (error as Error).message;
      observer.error(error as Error);
    }
    if (this.#stopped) return;
    // The interval starts at the request. Otherwise slow replies would delay each heartbeat until the lease is no
    // longer fresh.
    const dueMs = askedAtMs + untilNextMs(heartbeatMs, askedAtMs);
    this.#timer = runtime.later(() => void this.#sendHeartbeat(), Math.max(0, dueMs - runtime.now()));
  }

  #onReply(validUntilMs: number, tookMs: number): void {
    const { leaseMs, observer } = this.#options;
    this.#validUntilMs = validUntilMs;
    const isLate = tookMs > leaseMs - LEASE_MARGIN_MS;
    this.#lateReplies = isLate ? this.#lateReplies + 1 : 0;
    this.#lastError = isLate ? `Redis answers only after ${Math.round(tookMs)} ms` : NO_ANSWER;
    if (this.#lateReplies === LATE_REPLIES_MAX)
      observer.error(new Error(`${this.#lastError}, so other workers claim the destinations of this worker`));
  }
}
