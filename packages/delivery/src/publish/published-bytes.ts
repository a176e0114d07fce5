/**
 * The bytes per account that this process has published and that the last reading of Redis may not contain.
 *
 * Bytes added during a reading count until the end of the next one, because Redis may have written them after it was
 * read.
 */
export class PublishedBytes {
  /** Bytes added since the start of the newest reading. */
  #recent = new Map<string, number>();
  /** Bytes added before that start and not yet contained in a complete reading. */
  #earlier = new Map<string, number>();
  #recentTotal = 0;
  #earlierTotal = 0;

  get total(): number {
    return this.#recentTotal + this.#earlierTotal;
  }

  of(account: string): number {
    return (this.#recent.get(account) ?? 0) + (this.#earlier.get(account) ?? 0);
  }

  add(account: string, bytes: number): void {
    this.#recent.set(account, (this.#recent.get(account) ?? 0) + bytes);
    this.#recentTotal += bytes;
  }

  /** A reading of Redis starts. If the previous one failed, its bytes still count. */
  startReading(): void {
    for (const [account, bytes] of this.#recent) this.#earlier.set(account, (this.#earlier.get(account) ?? 0) + bytes);
    this.#earlierTotal += this.#recentTotal;
    this.#recent = new Map();
    this.#recentTotal = 0;
  }

  /** The reading is complete. */
  endReading(): void {
    this.#earlier = new Map();
    this.#earlierTotal = 0;
  }
}
