/** How long another api process may not know of a new object yet. */
const KNOWN_FOR_MS = 1000;

/** What a list of the store says, at most a second old. */
export class KnownList<Item> {
  readonly #read: () => Promise<readonly Item[]>;
  readonly #nowMs: () => number;
  #known: { readonly atMs: number; readonly list: Promise<readonly Item[]> } | undefined;

  constructor(read: () => Promise<readonly Item[]>, nowMs: () => number) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  list(): Promise<readonly Item[]> {
    const nowMs = this.#nowMs();
    if (this.#known === undefined || nowMs - this.#known.atMs >= KNOWN_FOR_MS || nowMs < this.#known.atMs) {
      const list = this.#read();
      this.#known = { atMs: nowMs, list };
      list.catch(() => this.forget());
    }
    return this.#known.list;
  }

  /** After a change of this process. */
  forget(): void {
    this.#known = undefined;
  }
}
