import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ProblemError } from '@mailhook/platform/http-server';

/** The parts of a page that change without user action, as HTML. */
interface Updates {
  readonly status: number;
  readonly document: string;
}

export interface TaggedUpdates extends Updates {
  /** An ETag. */
  readonly tag: string;
}

interface SharedUpdatesDeps<Question> {
  readonly build: (account: string, question: Question) => Promise<Updates>;
  /**
   * How long updates are shared. The default is shorter than the time between two polls of a page, so that every poll
   * can bring something new.
   */
  readonly sharedMs?: number;
}

interface AccountUpdates {
  readonly byQuestion: Map<string, Promise<TaggedUpdates>>;
  /** Resolves when the account's next build may start. */
  turn: Promise<unknown>;
  /** Builds that have not ended. */
  builds: number;
}

const SHARED_MS = 2000;
/**
 * After a build, its account waits this many times as long as the build took. So an account's pages take at most a
 * quarter of one process.
 */
const REST_PER_BUILD = 3;
const RETRY_AFTER_S = 3;
/** Most builds of one account that wait or run. */
export const BUILDS_MAX = 50;

/**
 * Builds the updates of settings pages once for all open pages of an account with the same question. Every open page
 * polls every few seconds, and a build takes longer than everything else about a poll.
 */
export class SharedUpdates<Question> {
  readonly #deps: SharedUpdatesDeps<Question>;
  readonly #accounts = new Map<string, AccountUpdates>();

  constructor(deps: SharedUpdatesDeps<Question>) {
    this.#deps = deps;
  }

  /**
   * Resolves with updates that were built during the last two seconds. Rejects with a 429 if too many builds of the
   * account wait.
   */
  async of(account: string, question: Question): Promise<TaggedUpdates> {
    const own: AccountUpdates = this.#accounts.get(account) ?? {
      byQuestion: new Map(),
      turn: Promise.resolve(),
      builds: 0,
    };
    this.#accounts.set(account, own);
    const key = JSON.stringify(question);
    const known = own.byQuestion.get(key);
    if (known !== undefined) return known;
    if (own.builds >= BUILDS_MAX) throw tooManyBuilds();
    own.builds += 1;
    const built = own.turn.then(() => this.#build(account, question)).finally(() => (own.builds -= 1));
    own.turn = restAfter(own.turn, built);
    own.byQuestion.set(key, built);
    void this.#forgetLater(account, own, key, built);
    return built;
  }

  /**
   * Call it when a page of the account shows a newer state. Otherwise its next update would show the old state again.
   */
  forget(account: string): void {
    this.#accounts.get(account)?.byQuestion.clear();
  }

  async #build(account: string, question: Question): Promise<TaggedUpdates> {
    const updates = await this.#deps.build(account, question);
    return { ...updates, tag: `"${createHash('sha256').update(updates.document).digest('base64url')}"` };
  }

  async #forgetLater(account: string, own: AccountUpdates, key: string, built: Promise<unknown>): Promise<void> {
    await built.then(() => wait(this.#deps.sharedMs ?? SHARED_MS, undefined, { ref: false })).catch(() => undefined);
    if (own.byQuestion.get(key) === built) own.byQuestion.delete(key);
    await own.turn;
    if (own.builds === 0 && own.byQuestion.size === 0 && this.#accounts.get(account) === own) {
      this.#accounts.delete(account);
    }
  }
}

/** Resolves when the build's account may build again. */
async function restAfter(turn: Promise<unknown>, built: Promise<unknown>): Promise<void> {
  await turn;
  const startedMs = performance.now();
  await built.catch(() => undefined);
  await wait(REST_PER_BUILD * (performance.now() - startedMs), undefined, { ref: false });
}

const tooManyBuilds = (): ProblemError =>
  new ProblemError('rate_limited', {
    detail: 'Too many open settings pages of this account show different lists. Close some of them.',
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  });
