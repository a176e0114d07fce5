/**
 * An approximate LRU cache with two generations. It holds at most `2 * generationSize` entries, and always the last
 * `generationSize` used. Lookups are cheap, because there is no order to maintain.
 */
export class RecentMap<Value> {
  readonly #generationSize: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(generationSize: number) {
    this.#generationSize = generationSize;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#generationSize) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** The entries at the time of the call. They may be deleted meanwhile. */
  entries(): [string, Value][] {
    return [...new Map([...this.#old, ...this.#young])];
  }
}
