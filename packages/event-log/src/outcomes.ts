import { LRUCache } from 'lru-cache';
import type { BlockContent } from './block.ts';
import type { BlockRef, Catalog } from './catalog.ts';
import type { EventOutcome, LoggedOutcome, LogItem, OutcomeFacts } from './entry.ts';
import { keyFingerprints, keysIn, outcomeKeysOf } from './event-keys.ts';
import type { FoundEvent } from './walk.ts';

/** Blocks of outcomes that a call keeps: events beside each other have their outcomes in the same ones. */
const KEPT_BLOCKS = 64;

/** Looks for the outcomes of an account's events: in their own blocks, in those of later segments, in the buffer. */
export class Outcomes {
  readonly #catalog: Catalog;
  readonly #account: string;
  readonly #blocks: readonly BlockRef[];
  readonly #recent: readonly LoggedOutcome[];
  readonly #kept = new LRUCache<BlockRef, BlockContent>({ max: KEPT_BLOCKS });

  /** @param blocks those of the account, in the order of their segments. */
  constructor(catalog: Catalog, account: string, blocks: readonly BlockRef[], recent: readonly LoggedOutcome[]) {
    this.#catalog = catalog;
    this.#account = account;
    this.#blocks = blocks.filter(({ row }) => row.outcomeKeys > 0);
    this.#recent = recent.filter((one) => one.account === account);
  }

  /** The events with the newest outcome per destination. */
  async of(events: readonly FoundEvent[]): Promise<LogItem[]> {
    const tables = events.map(({ folded }) => new NewestOutcomes(folded));
    const byKey = new Map<string, NewestOutcomes[]>();
    if (this.#blocks.length > 0 || this.#recent.length > 0)
      for (const [i, { event }] of events.entries())
        for (const key of outcomeKeysOf(event)) {
          const table = tables[i] as NewestOutcomes;
          const known = byKey.get(key);
          if (known === undefined) byKey.set(key, [table]);
          else known.push(table);
        }
    for (const outcome of [...(await this.#stored([...byKey.keys()])), ...this.#recent])
      for (const key of keysIn(outcome.keys)) for (const table of byKey.get(key) ?? []) table.add(outcome);
    return events.map(({ event }, i) => ({ event, outcomes: (tables[i] as NewestOutcomes).of(event.destinations) }));
  }

  async #stored(keys: readonly string[]): Promise<LoggedOutcome[]> {
    const fingerprints = keyFingerprints(Buffer.from(keys.join(''), 'hex'));
    const blocks = await this.#catalog.holding(this.#blocks, 'outcome', fingerprints);
    const unread = blocks.filter((block) => !this.#kept.has(block));
    const read = await this.#catalog.read(this.#account, unread, ignoreDamage);
    const contents = new Map(unread.map((block, i) => [block, read[i] as BlockContent]));
    return blocks.flatMap((block) => {
      const content = contents.get(block) ?? this.#kept.get(block);
      // Only outcomes are of use later.
      if (content !== undefined) this.#kept.set(block, { ...content, events: [], folded: [] });
      return content?.outcomes ?? [];
    });
  }
}

/** Without its outcome an event seems to wait. The catalog reports the damage. */
const ignoreDamage = (): void => undefined;

/** The newest outcome per destination. Of two of one time, the later added one counts. */
class NewestOutcomes {
  readonly #byDestination = new Map<string, OutcomeFacts>();

  constructor(outcomes: readonly OutcomeFacts[]) {
    for (const outcome of outcomes) this.add(outcome);
  }

  add(outcome: OutcomeFacts): void {
    const known = this.#byDestination.get(outcome.destination);
    if (known === undefined || outcome.atMs >= known.atMs) this.#byDestination.set(outcome.destination, outcome);
  }

  /** The event's own destinations first. */
  of(destinations: readonly string[]): EventOutcome[] {
    const own = destinations.map(
      (destination): EventOutcome => this.#byDestination.get(destination) ?? waitingAt(destination),
    );
    const replayed = [...this.#byDestination.values()]
      .filter(({ destination }) => !destinations.includes(destination))
      .sort((a, b) => (a.destination < b.destination ? -1 : 1));
    return [...own, ...replayed].map(({ destination, result, attempt, atMs, webhookId, replay }) => ({
      destination,
      result,
      attempt,
      ...(atMs !== undefined && { atMs }),
      webhookId,
      replay,
    }));
  }
}

const waitingAt = (destination: string): EventOutcome => ({
  destination,
  result: 'waiting',
  attempt: 0,
  webhookId: '',
  replay: '',
});
