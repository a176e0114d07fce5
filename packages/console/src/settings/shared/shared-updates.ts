import { setTimeout as wait } from 'node:timers/promises';

/** The parts of a page that change without user action, as HTML. */
interface Updates {
  readonly status: number;
  readonly document: string;
}

interface SharedUpdatesDeps<Question> {
  readonly build: (account: string, question: Question) => Promise<Updates>;
  /**
   * How long updates are shared. The default is shorter than the time between two polls of a page, so that every poll
   * can bring something new.
   */
  readonly sharedMs?: number;
}

const SHARED_MS = 2000;

/**
 * Builds the updates of settings pages once for all open pages of an account with the same question. Every open page
 * polls every few seconds, and a build takes longer than everything else about a poll.
 */
export class SharedUpdates<Question> {
  readonly #deps: SharedUpdatesDeps<Question>;
  /** By account, then by question. */
  readonly #accounts = new Map<string, Map<string, Promise<Updates>>>();

  constructor(deps: SharedUpdatesDeps<Question>) {
    this.#deps = deps;
  }

  /** Resolves with updates that were built during the last two seconds. */
  async of(account: string, question: Question): Promise<Updates> {
    const own = this.#accounts.get(account) ?? new Map<string, Promise<Updates>>();
    this.#accounts.set(account, own);
    const key = JSON.stringify(question);
    const known = own.get(key);
    if (known !== undefined) return known;
    const built = this.#deps.build(account, question);
    own.set(key, built);
    void this.#forgetLater(account, own, key, built);
    return built;
  }

  /**
   * Call it when a page of the account shows a newer state. Otherwise its next update would show the old state again.
   */
  forget(account: string): void {
    this.#accounts.delete(account);
  }

  async #forgetLater(
    account: string,
    own: Map<string, Promise<Updates>>,
    key: string,
    built: Promise<Updates>,
  ): Promise<void> {
    await built.then(() => wait(this.#deps.sharedMs ?? SHARED_MS, undefined, { ref: false })).catch(() => undefined);
    own.delete(key);
    if (own.size === 0 && this.#accounts.get(account) === own) this.#accounts.delete(account);
  }
}
