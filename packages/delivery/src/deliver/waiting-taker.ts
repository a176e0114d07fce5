import type { DrainReply } from '../mailbox/replies.ts';
import type { CountsByProven } from '../mailbox/commands.ts';
import type { DrainPoolDeps } from './drain-pool-deps.ts';

/** Most destinations of each kind that one call takes. */
const TAKEN_AT_ONCE = 48;
const NONE: CountsByProven = { proven: 0, others: 0 };

interface WaitingTakerOptions extends Pick<DrainPoolDeps, 'worker' | 'limits' | 'onError'> {
  readonly commands: Pick<DrainPoolDeps['commands'], 'take'>;
  /** How many more destinations the pool has room for. */
  readonly room: () => CountsByProven;
  readonly reserveClaims: (atMost: number) => number;
  readonly onTaken: (replies: readonly DrainReply[]) => void;
  /** Runs after each take, also after a failed one. */
  readonly onEnd: () => void;
}

/** Takes waiting destinations from the ready lists, as many as the pool has room for. One call at a time. */
export class WaitingTaker {
  readonly #options: WaitingTakerOptions;
  /** Destinations that wait for a worker, by the newest reply or offer. */
  #waiting: CountsByProven = NONE;
  /** Offers during the take in progress. */
  #offered: CountsByProven = NONE;
  #takes = 0;
  #isTaking = false;

  constructor(options: WaitingTakerOptions) {
    this.#options = options;
  }

  /** While a take is in progress, Redis may already have claimed destinations for this worker. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.proven + this.#waiting.others > 0;
  }

  /** How many destinations wait for a worker, by the newest reply or offer. */
  get waiting(): CountsByProven {
    return this.#waiting;
  }

  /** Reports that at least this many destinations wait for a worker. */
  offer(waiting: CountsByProven): void {
    this.#waiting = larger(this.#waiting, waiting);
    // The reply to a take in progress may be older than this offer.
    if (this.#isTaking) this.#offered = larger(this.#offered, waiting);
    void this.take();
  }

  /** Takes destinations until none wait or the pool has no more room. Never rejects. */
  async take(): Promise<void> {
    const { commands, worker, limits, room, reserveClaims, onTaken, onEnd, onError } = this.#options;
    if (this.#isTaking || !this.isAnyWaiting) return;
    const free = room();
    const wanted: CountsByProven = {
      proven: this.#waiting.proven === 0 ? 0 : Math.min(free.proven, TAKEN_AT_ONCE),
      others: this.#waiting.others === 0 ? 0 : Math.min(free.others, TAKEN_AT_ONCE),
    };
    const atMost = wanted.proven + wanted.others;
    if (atMost === 0) return;
    this.#isTaking = true;
    this.#offered = NONE;
    try {
      this.#takes += 1;
      const othersFirst = this.#takes % 2 === 0;
      const taken = await commands.take(worker, reserveClaims(atMost), wanted, limits, othersFirst);
      this.#waiting = larger(taken.waiting, this.#offered);
      this.#isTaking = false;
      onTaken(taken.replies);
    } catch (error) {
      this.#waiting = this.#offered;
      this.#isTaking = false;
      onError(error as Error);
    }
    onEnd();
    void this.take();
  }
}

const larger = (a: CountsByProven, b: CountsByProven): CountsByProven => ({
  proven: Math.max(a.proven, b.proven),
  others: Math.max(a.others, b.others),
});
