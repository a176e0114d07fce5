import type { DrainReply } from '../mailbox/replies.ts';
import { isInternalError } from './retry-while-away.ts';
import type { FreezeLimits, MailboxCommands } from '../mailbox/commands.ts';
import type { Drain } from './drain.ts';
import { forgetWritten, requestOf } from './drain.ts';

export interface NextCallerOptions {
  readonly commands: Pick<MailboxCommands, 'next'>;
  readonly limits: FreezeLimits;
  /** Whether there is room for more batches. */
  readonly mayFreeze: () => boolean;
  readonly onReply: (drain: Drain, reply: DrainReply) => void;
  /** Redis has written the settles, so their wake-up jobs can be added. For `follow`, see `next` in `mailbox/commands.ts`. */
  readonly onSettled: (drain: Drain, settles: Drain['settles'], follow: ReadonlySet<string>) => void;
  /** Another worker owns the destination and sends these batches again. */
  readonly onRefused: (settles: Drain['settles']) => void;
  /** The destination is inactive in Redis, and the subscription store needs an update. */
  readonly onGone: (drain: Drain, gone: NonNullable<Drain['gone']>) => void;
  readonly onError: (error: Error) => void;
}

/** Most drains in one script call, so that no call blocks Redis for long. */
const DRAINS_PER_CALL = 64;
/** The same for the bodies of failed batches, in characters. One call always carries all bodies of a drain. */
const BODIES_PER_CALL = 8_000_000;
const RETRY_FIRST_MS = 20;
const RETRY_MAX_MS = 1000;

/**
 * Sends the steps of many drains as one call of `next`. While it is in progress, the next call fills. A failed call is repeated until it succeeds. Repeating is safe, because a settle names its batch and counts once.
 */
export class NextCaller {
  readonly #options: NextCallerOptions;
  readonly #asking = new Set<Drain>();
  #isBusy = false;
  #isStopped = false;
  /** How many of the next calls carry a single drain, to isolate the one that fails. */
  #alone = 0;
  #retryMs = RETRY_FIRST_MS;

  constructor(options: NextCallerOptions) {
    this.#options = options;
  }

  ask(drain: Drain): void {
    this.#asking.add(drain);
    this.#schedule();
  }

  /** Removes a drain that has ended. */
  forget(drain: Drain): void {
    this.#asking.delete(drain);
  }

  /** Stops sending and repeating calls. */
  stop(): void {
    this.#isStopped = true;
  }

  #schedule(): void {
    if (this.#isStopped || this.#isBusy || this.#asking.size === 0) return;
    this.#isBusy = true;
    // Call after the I/O of this turn, so that drains with new replies join.
    setImmediate(() => void this.#call());
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
    return drains;
  }

  async #call(): Promise<void> {
    await this.#next(this.#gather());
    this.#isBusy = false;
    this.#schedule();
  }

  async #next(drains: readonly Drain[]): Promise<void> {
    const mayFreeze = this.#options.mayFreeze();
    const sent = drains.map((drain) => ({
      drain,
      request: requestOf(drain, mayFreeze),
      // Settles that are added later belong to the next call.
      settles: drain.settles.slice(),
      breaker: drain.breaker,
      size: drain.size,
      gone: drain.gone,
    }));
    try {
      const requests = sent.map(({ request }) => request);
      const { replies, follow } = await this.#options.commands.next(requests, this.#options.limits);
      this.#retryMs = RETRY_FIRST_MS;
      for (const [i, { drain, request, settles, breaker, size, gone }] of sent.entries()) {
        forgetWritten(drain, settles.length);
        if (drain.breaker === breaker) drain.breakerChanged = false;
        if (drain.size === size) drain.sizeChanged = false;
        if (drain.gone === gone) drain.gone = undefined;
        const reply = replies[i];
        if (reply === undefined) continue;
        // After a lost reply, "refused" may mean that the previous call settled and released the destination.
        if (reply.status !== 'refused' || request.isRepeated) this.#options.onSettled(drain, settles, follow);
        else this.#options.onRefused(settles);
        if (reply.status !== 'refused' && gone !== undefined) this.#options.onGone(drain, gone);
        this.#options.onReply(drain, reply);
      }
    } catch (error) {
      await this.#onFailedCall(drains, error as Error);
    }
  }

  async #onFailedCall(drains: readonly Drain[], error: Error): Promise<void> {
    this.#options.onError(error);
    for (const drain of drains) drain.resync = true;
    await this.#askAgain(drains, error);
  }

  /** Repeats a failed call after a pause. After an internal error it sends the drains one by one, so that one cannot block the others. */
  async #askAgain(drains: readonly Drain[], error: unknown): Promise<void> {
    const [first] = drains;
    if (isInternalError(error) && drains.length === 1 && first !== undefined) {
      setTimeout(() => this.ask(first), RETRY_MAX_MS).unref();
      return;
    }
    for (const drain of drains) this.#asking.add(drain);
    if (isInternalError(error)) {
      this.#alone = Math.max(this.#alone, drains.length);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }
}

function bodyChars({ settles }: Drain): number {
  let chars = 0;
  for (const { followUps } of settles) for (const { body } of followUps) chars += body?.length ?? 0;
  return chars;
}
