export interface AppendGateOptions {
  /** How many destinations of any kind the pool can claim now. */
  readonly room: () => number;
  /** False if an append to that many destinations cannot expect room soon. */
  readonly mayWait: (destinations: number) => boolean;
}

/**
 * An append waits only if at least this share of the destinations before it was idle. Otherwise events had better gather in the mailboxes, because
 * a mailbox with several events costs less per event.
 */
const IDLE_SHARE_MIN = 0.98;
/** The share is an average of about this many destinations. */
const AVERAGE_OVER = 500;
/**
 * If no append could start during this many ticks (half a second), all waiting appends start. Ticks, because a time also passes while this process
 * parses large chunks and does not read the replies that make room.
 */
const BLOCKED_TICKS = 20;

interface WaitingAppend {
  readonly destinations: number;
  readonly start: (hasRoom: boolean) => void;
}

/**
 * Lets an append wait until the pool has room for all its destinations. The script then claims them at once, which costs less than a ready list
 * (docs/decisions/0050).
 */
export class AppendGate {
  readonly #options: AppendGateOptions;
  /** In the order of their arrival. */
  readonly #waiting: WaitingAppend[] = [];
  /** Destinations of the running appends, which may use room soon. */
  #running = 0;
  #idleShare = 1;
  /** Ticks since an append started, or since the first one began to wait. */
  #ticks = 0;

  constructor(options: AppendGateOptions) {
    this.#options = options;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Runs an append, which resolves with the number of its destinations that were idle, or with undefined if it appended nothing. `hasRoom`: whether
   * the pool has room for all its destinations beside those of the running appends. Rejects if the append rejects.
   */
  async run(destinations: number, append: (hasRoom: boolean) => Promise<number | undefined>): Promise<void> {
    const hasRoom = await this.#enter(destinations);
    try {
      const idle = await append(hasRoom);
      if (idle !== undefined) this.#learn(destinations, idle);
    } finally {
      this.#running -= destinations;
      this.onRoom();
    }
  }

  /** Starts the waiting appends that the pool has room for now. */
  onRoom(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#mayStart(next.destinations); [next] = this.#waiting)
      this.#startNext();
  }

  /** Call it every 25 ms. */
  onTick(): void {
    this.onRoom();
    this.#ticks += 1;
    if (this.#ticks >= BLOCKED_TICKS) while (this.isAnyWaiting) this.#startNext();
  }

  /** Waits until an append may start. */
  #enter(destinations: number): boolean | Promise<boolean> {
    if (!this.isAnyWaiting && this.#mayStart(destinations)) return this.#start(destinations);
    if (!this.isAnyWaiting) this.#ticks = 0;
    return new Promise((start) => this.#waiting.push({ destinations, start }));
  }

  #mayStart(destinations: number): boolean {
    return this.#hasRoom(destinations) || this.#idleShare < IDLE_SHARE_MIN || !this.#options.mayWait(destinations);
  }

  #hasRoom(destinations: number): boolean {
    return this.#options.room() - this.#running >= destinations;
  }

  #start(destinations: number): boolean {
    this.#ticks = 0;
    const hasRoom = this.#hasRoom(destinations);
    this.#running += destinations;
    return hasRoom;
  }

  #startNext(): void {
    const next = this.#waiting.shift();
    next?.start(this.#start(next.destinations));
  }

  #learn(destinations: number, idle: number): void {
    const weight = Math.min(1, destinations / AVERAGE_OVER);
    this.#idleShare += weight * (idle / destinations - this.#idleShare);
  }
}
