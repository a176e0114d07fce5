import type { DrainReply } from '../scripts/drain-reply.ts';
import type { Scripts } from '../scripts/scripts.ts';
import type { Drain } from './drain.ts';
import { requestOf, told } from './drain.ts';

export interface NextCallerOptions {
  readonly scripts: Pick<Scripts, 'next'>;
  readonly batchMax: number;
  readonly onReply: (drain: Drain, reply: DrainReply) => void;
  /** What was settled has been written: its wake-up jobs can be added. */
  readonly onSettled: (drain: Drain, settles: Drain['settles']) => void;
  /** The destination was switched off in Redis: its store can be told. */
  readonly onGone: (drain: Drain, gone: NonNullable<Drain['gone']>) => void;
  readonly onError: (error: Error) => void;
}

/** Most drains in one script call, so that no call keeps Redis for long. */
const DRAINS_PER_CALL = 256;
const RETRY_FIRST_MS = 20;
const RETRY_MAX_MS = 1000;

/**
 * Gathers what the drains have to tell and to ask, and sends it as one script call: while a call is under way, the next one fills. A call
 * that fails (Redis is away) is repeated for ever: settles name their batches, so that telling twice does nothing.
 */
export class NextCaller {
  readonly #options: NextCallerOptions;
  readonly #asking = new Set<Drain>();
  #isBusy = false;
  #retryMs = RETRY_FIRST_MS;

  constructor(options: NextCallerOptions) {
    this.#options = options;
  }

  ask(drain: Drain): void {
    this.#asking.add(drain);
    this.#schedule();
  }

  /** The drain is over: nothing more is to be told. */
  forget(drain: Drain): void {
    this.#asking.delete(drain);
  }

  #schedule(): void {
    if (this.#isBusy || this.#asking.size === 0) return;
    this.#isBusy = true;
    // After the I/O of this turn: what other replies bring travels along.
    setImmediate(() => void this.#call());
  }

  async #call(): Promise<void> {
    const drains = [...this.#asking].slice(0, DRAINS_PER_CALL);
    for (const drain of drains) this.#asking.delete(drain);
    const bodies: string[] = [];
    const sent = drains.map((drain) => ({
      drain,
      // What is settled from now on travels with the next call.
      settles: drain.settles.slice(),
      breaker: drain.breaker,
      gone: drain.gone,
      isRepeated: drain.resync,
    }));
    const requests = drains.map((drain) => requestOf(drain, this.#options.batchMax, bodies));
    try {
      const replies = await this.#options.scripts.next(requests, bodies);
      this.#retryMs = RETRY_FIRST_MS;
      for (const [i, { drain, settles, breaker, gone, isRepeated }] of sent.entries()) {
        told(drain, settles.length);
        if (drain.breaker === breaker) drain.breakerChanged = false;
        if (drain.gone === gone) drain.gone = undefined;
        const reply = replies[i];
        if (reply === undefined) continue;
        // Refused after a lost reply: the call before may have settled, and released the destination.
        if (reply.status !== 'refused' || isRepeated) this.#options.onSettled(drain, settles);
        if (reply.status !== 'refused' && gone !== undefined) this.#options.onGone(drain, gone);
        this.#options.onReply(drain, reply);
      }
    } catch (error) {
      this.#options.onError(error as Error);
      for (const drain of drains) {
        drain.resync = true;
        this.#asking.add(drain);
      }
      await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    }
    this.#isBusy = false;
    this.#schedule();
  }
}
