import type { CountsByProven, FreezeLimits, MailboxCommands } from '../mailbox/commands/engine.ts';
import type { AppendGroup } from '../mailbox/entry.ts';
import type { DrainReply } from '../mailbox/replies.ts';
import type { Asked, Drain } from './drain.ts';
import {
  BODIES_PER_CALL,
  DRAINS_PER_CALL,
  GATHERED_MAX,
  GATHER_MS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
  TAKEN_AT_ONCE,
} from './limits.ts';
import { isInternalError } from './queue-workers.ts';
import type { Runtime, Timer } from './runtime.ts';
import { pause } from './runtime.ts';

export interface NextCallsOptions {
  readonly commands: Pick<MailboxCommands, 'next'>;
  readonly limits: FreezeLimits;
  readonly runtime: Runtime;
  /** Whether there is room for more batches. */
  readonly mayFreeze: () => boolean;
  /** Whether destinations wait for a worker. A step may make room for one. */
  readonly isAwaited: () => boolean;
  /** A call has written what the drain asked. For `follow`, see `next` in `mailbox/commands/engine.ts`. */
  readonly onReply: (drain: Drain, asked: Asked, reply: DrainReply, follow: ReadonlySet<string>) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Sends the steps of many drains as one call of `next`. While it is in progress, the next call fills. Steps that may
 * wait (`Drain.mayWait`) are sent together after `GATHER_MS`, or with the next step that may not. A failed call is
 * repeated until it succeeds. Repeating is safe, because a settle names its batch and counts once.
 */
export class NextCalls {
  readonly #options: NextCallsOptions;
  readonly #asking = new Set<Drain>();
  #isBusy = false;
  #isStopped = false;
  /** Whether the next call is sent immediately. If not, the timer sends it. */
  #isDue = false;
  #timer: Timer | undefined;
  /** How many of the next calls carry a single drain, to isolate the one that fails. */
  #alone = 0;
  #retryMs = RETRY_FIRST_MS;

  constructor(options: NextCallsOptions) {
    this.#options = options;
  }

  ask(drain: Drain): void {
    this.#asking.add(drain);
    this.#isDue ||= !drain.mayWait || this.#asking.size >= GATHERED_MAX || this.#options.isAwaited();
    this.#schedule();
  }

  /** Removes a drain that has ended. */
  forget(drain: Drain): void {
    this.#asking.delete(drain);
  }

  /** Stops sending and repeating calls. */
  stop(): void {
    this.#isStopped = true;
    this.#options.runtime.cancel(this.#timer);
  }

  #schedule(): void {
    const { runtime } = this.#options;
    if (this.#isStopped || this.#isBusy || this.#asking.size === 0) return;
    if (!this.#isDue) {
      this.#timer ??= runtime.later(() => {
        this.#isDue = true;
        this.#schedule();
      }, GATHER_MS);
      return;
    }
    runtime.cancel(this.#timer);
    this.#timer = undefined;
    this.#isBusy = true;
    // Call after the I/O of this turn, so that drains with new replies join.
    runtime.immediate(() => void this.#call());
  }

  /** Takes drains out of the queue until a call is full. */
  #gather(): Drain[] {
    const most = this.#alone > 0 ? 1 : DRAINS_PER_CALL;
    this.#alone = Math.max(0, this.#alone - 1);
    const drains: Drain[] = [];
    let chars = 0;
    for (const drain of this.#asking) {
      if (drains.length >= most || chars > BODIES_PER_CALL) break;
      this.#asking.delete(drain);
      drains.push(drain);
      chars += bodyChars(drain);
    }
    this.#isDue = this.#asking.size > 0;
    return drains;
  }

  async #call(): Promise<void> {
    try {
      await this.#callOnce();
    } finally {
      this.#isBusy = false;
      this.#schedule();
    }
  }

  async #callOnce(): Promise<void> {
    const { commands, limits, mayFreeze, runtime } = this.#options;
    const drains = this.#gather();
    // They ended in this turn.
    if (drains.length === 0) return;
    try {
      const isFreezing = mayFreeze();
      const asked = drains.map((drain) => drain.ask(isFreezing, runtime.now()));
      const { replies, follow } = await commands.next(
        asked.map(({ request }) => request),
        limits,
      );
      this.#retryMs = RETRY_FIRST_MS;
      for (const [i, drain] of drains.entries())
        this.#onWritten(drain, asked[i] as Asked, replies[i] as DrainReply, follow);
    } catch (error) {
      await this.#onFailedCall(drains, error as Error);
    }
  }

  /** An error here concerns this drain only: the call has written the others too. */
  #onWritten(drain: Drain, asked: Asked, reply: DrainReply, follow: ReadonlySet<string>): void {
    try {
      drain.onWritten(asked);
      this.#options.onReply(drain, asked, reply, follow);
    } catch (error) {
      this.#options.onError(error as Error);
      this.#askLater(drain);
    }
  }

  #askLater(drain: Drain): void {
    drain.onFailedCall();
    this.#options.runtime.later(() => this.ask(drain), RETRY_MAX_MS).unref();
  }

  /**
   * Repeats a failed call after a pause. After an internal error it sends the drains one by one, so that one cannot
   * block the others.
   */
  async #onFailedCall(drains: readonly Drain[], error: Error): Promise<void> {
    this.#options.onError(error);
    const [first] = drains;
    if (isInternalError(error) && drains.length === 1 && first !== undefined) {
      this.#askLater(first);
      return;
    }
    for (const drain of drains) {
      drain.onFailedCall();
      this.#asking.add(drain);
    }
    this.#isDue = true;
    if (isInternalError(error)) {
      this.#alone = Math.max(this.#alone, drains.length);
      return;
    }
    await pause(this.#options.runtime, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }
}

function bodyChars({ settles }: Drain): number {
  let chars = 0;
  for (const { followUps } of settles) for (const { body } of followUps) chars += body?.length ?? 0;
  return chars;
}

export interface TakeCallsOptions {
  /** Takes destinations and starts to drain them. */
  readonly take: (atMost: CountsByProven, othersFirst: boolean) => Promise<{ readonly waiting: CountsByProven }>;
  /** How many more destinations the pool has room for. */
  readonly room: () => CountsByProven;
  /** Runs after each take, also after a failed one. */
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
}

const NONE: CountsByProven = { proven: 0, others: 0 };

/** Takes waiting destinations from the ready lists, as many as the pool has room for. One call after the other. */
export class TakeCalls {
  readonly #options: TakeCallsOptions;
  /** Destinations that wait for a worker, by the newest reply or note. */
  #waiting: CountsByProven = NONE;
  /** Noted during the take in progress. */
  #noted: CountsByProven = NONE;
  #takes = 0;
  #isTaking = false;

  constructor(options: TakeCallsOptions) {
    this.#options = options;
  }

  /** While a take is in progress, Redis may already have claimed destinations for this worker. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.proven + this.#waiting.others > 0;
  }

  /** How many destinations wait for a worker, by the newest reply or note. */
  get waiting(): CountsByProven {
    return this.#waiting;
  }

  /** Reports that at least this many destinations wait for a worker. */
  noteWaiting(waiting: CountsByProven): void {
    this.#waiting = larger(this.#waiting, waiting);
    // The reply to a take in progress may be older than this note.
    if (this.#isTaking) this.#noted = larger(this.#noted, waiting);
    void this.take();
  }

  /** Takes destinations until none wait or the pool has no more room. Never rejects. */
  async take(): Promise<void> {
    const { take, room, onEnd, onError } = this.#options;
    if (this.#isTaking || !this.isAnyWaiting) return;
    const free = room();
    const wanted: CountsByProven = {
      proven: this.#waiting.proven === 0 ? 0 : Math.min(free.proven, TAKEN_AT_ONCE),
      others: this.#waiting.others === 0 ? 0 : Math.min(free.others, TAKEN_AT_ONCE),
    };
    const atMost = wanted.proven + wanted.others;
    if (atMost === 0) return;
    this.#isTaking = true;
    this.#noted = NONE;
    try {
      this.#takes += 1;
      const othersFirst = this.#takes % 2 === 0;
      const taken = await take(wanted, othersFirst);
      this.#waiting = larger(taken.waiting, this.#noted);
      this.#isTaking = false;
    } catch (error) {
      this.#waiting = this.#noted;
      this.#isTaking = false;
      onError(error as Error);
    }
    onEnd();
    void this.take();
  }
}

export interface AppendCallsOptions {
  /** Whether the pool has room for that many destinations. */
  readonly hasRoom: (destinations: number) => boolean;
  /** Whether an append should wait for that room instead of starting without it. */
  readonly mayWait: (groups: readonly AppendGroup[]) => boolean;
}

interface WaitingAppend {
  readonly groups: readonly AppendGroup[];
  readonly start: () => void;
}

/**
 * Starts appends in their order. An append may wait until the pool has room for all its destinations. It then claims
 * them itself, which costs less than a ready list and a take. Its events wait in their chunk job meanwhile.
 */
export class AppendCalls {
  readonly #options: AppendCallsOptions;
  readonly #waiting: WaitingAppend[] = [];

  constructor(options: AppendCallsOptions) {
    this.#options = options;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves and rejects like `append`, which must reserve its room before its first `await`. */
  async run<Result>(groups: readonly AppendGroup[], append: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ groups, start: () => void append().then(resolve, reject) });
      this.startSome();
    });
  }

  /** Call it when there may be more room, or no reason to wait for it any longer. */
  startSome(): void {
    const { hasRoom, mayWait } = this.#options;
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (!hasRoom(next.groups.length) && mayWait(next.groups)) return;
      this.#waiting.shift();
      next.start();
    }
  }
}

const larger = (a: CountsByProven, b: CountsByProven): CountsByProven => ({
  proven: Math.max(a.proven, b.proven),
  others: Math.max(a.others, b.others),
});
