interface Waiter {
  readonly bytes: number;
  readonly isAlone: boolean;
  readonly start: () => void;
}

export interface JobGateLimits {
  /** Most bytes of large jobs in memory together. A job that exceeds this limit runs while no other large job does. */
  readonly bytes: number;
  /**
   * Most large jobs that may wait at the gate. Further ones should go back to their queue, so that small jobs find a
   * free place in the worker.
   */
  readonly waiting: number;
}

/**
 * Decides which jobs are in this process's memory together. Large jobs run up to a sum of bytes. Only the worker's
 * concurrency limits small jobs (0 bytes), so they overtake waiting large jobs. No job overtakes or runs beside a job
 * that must run alone.
 */
export class JobGate {
  readonly #limits: JobGateLimits;
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #bytes = 0;
  #isAlone = false;

  constructor(limits: JobGateLimits) {
    this.#limits = limits;
  }

  /** Whether the gate is full of waiting large jobs. */
  get isCrowded(): boolean {
    return this.#waiting.filter(({ bytes }) => bytes > 0).length >= this.#limits.waiting;
  }

  /** Runs the work when its job may start. Resolves or rejects like the work. */
  async run<Result>(job: { bytes: number; isAlone: boolean }, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      this.#waiting.push({ ...job, start });
      this.#startWaiting();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#bytes -= job.bytes;
      this.#isAlone = false;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    let isLargeHeld = false;
    for (const waiter of [...this.#waiting]) {
      if (this.#isAlone || (waiter.isAlone && this.#running > 0)) return;
      const isLarge = waiter.bytes > 0 && !waiter.isAlone;
      if (isLarge && (isLargeHeld || !this.#hasRoomFor(waiter.bytes))) isLargeHeld = true;
      else this.#start(waiter);
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#limits.bytes;
  }

  #start(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    this.#running += 1;
    this.#bytes += waiter.bytes;
    this.#isAlone = waiter.isAlone;
    waiter.start();
  }
}
